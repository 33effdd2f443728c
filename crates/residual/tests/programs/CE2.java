import java.util.*;

/** A list in a field may be iterated over elsewhere. */
public class CE2 {
    private List<String> items = new ArrayList<>();
    void put(String x) { items.add(x); }
    Iterator<String> all() { return items.iterator(); }
    public static void main(String[] a) {
        CE2 c = new CE2();
        c.put("x");
        Iterator<String> it = c.all();
        c.put("y");
        try { it.next(); } catch (ConcurrentModificationException e) { }
    }
}
