import java.util.*;

/** A lambda keeps what it captures, and the JDK runs it. */
public class CE6 {
    static Iterator<String> it;
    public static void main(String[] a) {
        List<String> l = new ArrayList<>();
        Runnable r = () -> { it = l.iterator(); };
        Optional.of(r).ifPresent(Runnable::run);
        l.add("x");
        try { it.next(); } catch (RuntimeException e) { }
    }
}
