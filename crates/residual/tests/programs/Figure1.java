import java.util.*;

/** The running example of the papers, with lists from elsewhere and with lists of its own. */
public class Figure1 {
    static List<String> getList() { return new ArrayList<>(new ArrayList<>(List.of("a", "b"))); }
    static List<String> first = getList();
    static List<String> second() { return first; }
    static void papers(boolean flag) {
        List<String> l1 = second();
        List<String> l2 = second();
        l1.add("x");
        Iterator<String> it = l1.iterator();
        if (flag) {
            l2.add("y");
            l2.add("z");
        }
        try { it.next(); } catch (RuntimeException e) { }
        it = l1.iterator();
        l2.add("w");
    }
    static void own(boolean flag) {
        List<String> l1 = new ArrayList<>();
        List<String> l2 = new ArrayList<>();
        l1.add("x");
        Iterator<String> it = l1.iterator();
        if (flag) {
            l2.add("y");
            l2.add("z");
        }
        it.next();
        it = l1.iterator();
        l2.add("w");
    }
    public static void main(String[] a) {
        papers(a.length == 0);
        own(a.length == 0);
    }
}
