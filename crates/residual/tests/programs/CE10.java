import java.util.*;

/** `this` is an object like any other. */
public class CE10 {
    static class L extends LinkedList<String> {
        void twice(String x) { add(x); add(x); }
    }
    public static void main(String[] a) {
        L l = new L();
        l.add("x");
        Iterator<String> it = l.iterator();
        l.twice("y");
        try { it.next(); } catch (ConcurrentModificationException e) { }
    }
}
