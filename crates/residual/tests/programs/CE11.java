import java.util.*;

/** What a parameter is declared as says nothing. */
public class CE11 {
    @SuppressWarnings("unchecked")
    static void m(Object o) { ((List<String>) o).add("x"); }
    public static void main(String[] a) {
        List<String> l = new ArrayList<>();
        l.add("a");
        Iterator<String> it = l.iterator();
        m(l);
        try { it.next(); } catch (ConcurrentModificationException e) { }
    }
}
