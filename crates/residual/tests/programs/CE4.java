import java.util.*;

/** Once published, a list is anyone's for ever. */
public class CE4 {
    static List<String> shared;
    static Iterator<String> it;
    static void publish(List<String> l) { shared = l; }
    static void open() { it = shared.iterator(); }
    static void next() { try { it.next(); } catch (RuntimeException e) { } }
    public static void main(String[] a) {
        List<String> l = new ArrayList<>();
        publish(l);
        l.add("a");
        open();
        l.add("b");
        next();
    }
}
