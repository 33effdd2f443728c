import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.util.*;

/** A list that a lambda captures which can be serialised. */
public class CapturedForStreams {
    interface Task extends Runnable, Serializable {}

    static Task capture(List<String> l) {
        return () -> l.size();
    }

    public static void main(String[] args) throws Exception {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        Iterator<String> i = l.iterator();
        Task lambda = capture(l);
        Method replace = lambda.getClass().getDeclaredMethod("writeReplace");
        replace.setAccessible(true);
        ((Collection<?>) ((SerializedLambda) replace.invoke(lambda)).getCapturedArg(0)).clear();
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }
}
