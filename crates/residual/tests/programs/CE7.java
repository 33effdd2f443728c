import java.util.*;

/** Exceptions lead to handlers. */
public class CE7 {
    static void m(int[] z) {
        List<String> l = new ArrayList<>();
        Iterator<String> it = l.iterator();
        try {
            l.add("x");
            z[3] = 1;
            return;
        } catch (ArrayIndexOutOfBoundsException e) {
            it.next();
        }
    }
    public static void main(String[] a) {
        try { m(new int[1]); } catch (ConcurrentModificationException e) { }
    }
}
