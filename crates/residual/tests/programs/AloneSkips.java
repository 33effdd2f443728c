import java.util.*;
import java.util.concurrent.*;

/** One thread: iterators over parts of skip lists compare elements with the bounds. */
class AloneSkips {
    private final List<Object> own = new ArrayList<>(List.of(1, 2));

    class Adding implements Comparator<String> {
        @Override
        public int compare(String one, String two) {
            own.add("compared");
            return one.compareTo(two);
        }
    }

    void walked(Iterator<String> keys) {
        Iterator<Object> it = own.iterator();
        keys.next();
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        AloneSkips skips = new AloneSkips();
        ConcurrentNavigableMap<String, String> map = new ConcurrentSkipListMap<>(skips.new Adding());
        for (String key : new String[] {"a", "b", "c", "d"}) map.put(key, key);
        skips.walked(map.headMap("c").keySet().iterator());
    }
}
