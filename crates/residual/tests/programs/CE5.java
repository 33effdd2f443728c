import java.util.*;

/** The JDK keeps what it is given. */
public class CE5 {
    static Map<String, List<String>> reg = new HashMap<>();
    static Iterator<String> it;
    static void other() { it = reg.get("k").iterator(); }
    static void later() { try { it.next(); } catch (RuntimeException e) { } }
    public static void main(String[] a) {
        List<String> l = new ArrayList<>();
        reg.put("k", l);
        other();
        l.add("x");
        later();
    }
}
