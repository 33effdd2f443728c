import java.lang.reflect.Field;
import java.util.*;

/** A list that a lambda captures, and that somebody takes out of the lambda. */
public class Captured {
    static Runnable capture(List<String> l) {
        return () -> l.size();
    }

    public static void main(String[] args) throws Exception {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        Iterator<String> i = l.iterator();
        Runnable lambda = capture(l);
        for (Field field : lambda.getClass().getDeclaredFields()) {
            field.setAccessible(true);
            ((Collection<?>) field.get(lambda)).clear();
        }
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }
}
