import java.util.*;

/** An array keeps what is stored in it. */
public class CE12 {
    static List<?>[] slots = new List<?>[1];
    static Iterator<?> it;
    static void open() { it = slots[0].iterator(); }
    static void step() { try { it.next(); } catch (RuntimeException e) { } }
    public static void main(String[] a) {
        List<String> l = new ArrayList<>();
        slots[0] = l;
        open();
        l.add("x");
        step();
    }
}
