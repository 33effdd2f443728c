import java.util.*;

/** One method per rule of the analysis. */
public class Rules {
    static List<String> field;
    static int count;
    private static final List<String> onlyAdded = new ArrayList<>();
    private static final List<String> onlyRead = new ArrayList<>();
    static void adds(List<String> l) { l.add("x"); }
    static List<String> makes() { return new ArrayList<>(); }
    static List<String> makesUsed() { List<String> l = new ArrayList<>(); l.add("x"); return l; }
    static List<String> same(List<String> l) { return l; }
    static void drop(List<String> l) { count += l.size(); }

    static void fresh() { List<String> l = makes(); l.add("x"); for (String s : l) count++; }
    static void freshUsed() { List<String> l = makesUsed(); l.add("x"); for (String s : l) count++; }
    static void borrowed() { List<String> l = new ArrayList<>(); drop(l); for (String s : l) count++; }
    static void emits() {
        List<String> l = new ArrayList<>();
        for (String s : l) { adds(l); }
    }
    static void alias() {
        List<String> l = new ArrayList<>();
        List<String> m = same(l);
        for (String s : l) { m.add(s); }
    }
    static void loop(int n) {
        Iterator<String> before = null;
        for (int i = 0; i < n; i++) {
            List<String> l = new ArrayList<>();
            l.add("x");
            if (before != null) before.next();
            before = l.iterator();
        }
    }
    static void join(boolean b) {
        List<String> l = b ? new ArrayList<>() : new LinkedList<>();
        for (String s : l) { count++; }
        l.add("x");
    }
    static void maybeNull(boolean b) {
        List<String> l = new ArrayList<>();
        Iterator<String> it = b ? l.iterator() : null;
        l.add("x");
        if (it != null) it.next();
    }
    static void stored() { List<String> l = new ArrayList<>(); field = l; l.add("x"); }
    static void added(String s) { onlyAdded.add(s); }
    static void read() { for (String s : onlyRead) count++; }
    static void keys(Map<String, String> m) { for (String s : new HashMap<>(m).keySet()) count++; }
    static void concat() { List<String> l = new ArrayList<>(); l.add("x"); String s = "l " + l; count += s.length(); }
    static void sync() { List<String> l = new ArrayList<>(); synchronized (l) { l.add("x"); } }
    static void swallow() {
        List<String> l = new ArrayList<>();
        Iterator<String> it = l.iterator();
        try { l.add(String.valueOf(1 / count)); } catch (ArithmeticException e) { }
        try { it.next(); } catch (RuntimeException e) { }
    }
    public static void main(String[] a) {
        fresh(); freshUsed(); borrowed(); emits(); alias(); loop(0); join(true);
        try { maybeNull(true); } catch (ConcurrentModificationException e) { }
        stored(); added("s"); read(); keys(Map.of()); concat(); sync(); count = 0; swallow();
    }
}
