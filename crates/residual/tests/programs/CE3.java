import java.util.*;

/** What is returned lives on: its creation matters. */
public class CE3 {
    static List<String> kept;
    static void keep(List<String> l) { kept = l; }
    static Iterator<String> make() {
        List<String> l = new ArrayList<>();
        Iterator<String> it = l.iterator();
        keep(l);
        return it;
    }
    public static void main(String[] a) {
        Iterator<String> it = make();
        kept.add("x");
        try { it.next(); } catch (RuntimeException e) { }
    }
}
