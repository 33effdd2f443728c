import java.util.*;

/** Another thread has it. */
public class CE6T {
    static Iterator<String> it;
    public static void main(String[] a) throws Exception {
        List<String> l = new ArrayList<>();
        Thread t = new Thread(() -> { it = l.iterator(); });
        t.start();
        t.join();
        l.add("x");
        try { it.next(); } catch (RuntimeException e) { }
    }
}
