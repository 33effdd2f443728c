import java.util.Iterator;
import java.util.List;

/** Asks before every element. */
public class HasNextOk {
    public static void main(String[] args) {
        Iterator<String> i = List.of("ada", "bob").iterator();
        while (i.hasNext()) {
            System.out.println(i.next());
        }
    }
}
