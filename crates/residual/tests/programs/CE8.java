import java.util.*;

/** The question before the step keeps the monitor calm. */
public class CE8 {
    public static void main(String[] a) {
        List<String> l = new ArrayList<>();
        l.add("x");
        Iterator<String> it = l.iterator();
        boolean b = it.hasNext();
        if (b) it.next();
    }
}
