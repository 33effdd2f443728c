import java.util.*;

/** Programs that show how costs grow. */
public class Micro {
    /** Takes some time, and makes no garbage. */
    static long work(long state, int rounds) {
        for (int n = 0; n < rounds; n++) {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
        }
        return state;
    }

    public static void main(String[] args) {
        long count = Long.parseLong(args[1]), sum = 0;
        switch (args[0]) {
            case "keys": // loops over the keys of one long-lived map
                Map<String, Integer> map = new HashMap<>();
                for (int i = 0; i < 10; i++) map.put("k" + i, i);
                for (long n = 0; n < count; n++) {
                    for (String key : map.keySet()) sum += key.length();
                    if (n % 100 == 0) map.put("k" + n % 10, (int) n);
                }
                break;
            case "changes": // one long-lived map that changes after every loop over its values
                Map<Long, Long> changing = new HashMap<>();
                for (long i = 0; i < 4; i++) changing.put(i, i);
                Collection<Long> values = changing.values();
                for (long n = 0; n < count; n++) {
                    for (long value : values) sum += value;
                    changing.put(n % 4, n);
                }
                break;
            case "iterators": // many short-lived iterators
                List<Integer> list = List.of(1, 2, 3);
                List<Integer> other = new ArrayList<>(list);
                int pace = args.length > 2 ? Integer.parseInt(args[2]) : 0;
                long state = 1;
                for (long n = 0; n < count; n++) {
                    Iterator<Integer> i = other.iterator();
                    while (i.hasNext()) sum += i.next();
                    state = work(state, pace);
                }
                sum += state >>> 63;
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        System.out.println(sum);
    }
}
