import java.util.*;

/** A list that a call returns has a history of its own. */
public class CE1 {
    static List<String> held = new ArrayList<>();
    static List<String> getList() { return held; }
    static void m() {
        List<String> l = getList();
        l.add("x");
    }
    public static void main(String[] a) {
        held.add("y");
        Iterator<String> it = held.iterator();
        m();
        try { it.next(); } catch (ConcurrentModificationException e) { }
    }
}
