import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Asks whether there is an element, hears no, and takes one nevertheless; then does not ask. */
public class HasNextBad {
    public static void main(String[] args) {
        List<String> none = new ArrayList<>();
        Iterator<String> i = none.iterator();
        System.out.println(i.hasNext());
        try {
            i.next();
        } catch (java.util.NoSuchElementException expected) {
            System.out.println("no element");
        }
        Iterator<String> j = List.of("ada").iterator();
        System.out.println(j.next());
    }
}
