import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** A program whose calls are woven; what it prints must not change. */
public class Patched {
    static int count(List<String> list) {
        int n = 0;
        for (Iterator<String> it = list.iterator(); it.hasNext(); ) {
            String s = it.next();
            n += s.length() > 1 ? s.length() : 100;
        }
        return n;
    }

    static long mixed(long a, double d, String s, int i) {
        try {
            return Math.max(a, (long) d) + s.charAt(i) + Long.compare(a, i);
        } catch (StringIndexOutOfBoundsException e) {
            return -a - s.length();
        }
    }

    static String message(Object o) {
        StringBuilder b = new StringBuilder();
        b.append(o).append(o.hashCode() == 0 ? "zero" : new String("other")).append(1L).append(2.5);
        return b.toString();
    }

    public static void main(String[] args) {
        List<String> list = new ArrayList<>(Arrays.asList("a", "bb", "ccc"));
        System.out.println(count(list));
        for (int i = -1; i < 4; i++) System.out.println(mixed(i * 10L, i / 2.0, "xyz", i));
        System.out.println(message("hi") + message(0));
        try {
            message(null);
        } catch (NullPointerException e) {
            System.out.println("null");
        }
    }
}
