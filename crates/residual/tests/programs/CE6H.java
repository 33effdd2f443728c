import java.util.*;

/** CE6 with static helpers: neither the method with the update nor that of the lambda names the iterator. */
public class CE6H {
    static Iterator<String> it;
    @SuppressWarnings("unchecked")
    static void open(Object list) { it = ((List<String>) list).iterator(); }
    static void step() { try { it.next(); } catch (RuntimeException e) { } }
    static void run() {
        List<String> l = new ArrayList<>();
        Runnable r = () -> open(l);
        Optional.of(r).ifPresent(Runnable::run);
        l.add("x");
        step();
    }
    public static void main(String[] a) { run(); }
}
