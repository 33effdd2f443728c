import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;

/** Removes from a list while iterating over it. */
public class ListBad {
    public static void main(String[] args) {
        List<String> names = new ArrayList<>(List.of("ada", "bob", "eve", "joe"));
        try {
            for (Iterator<String> i = names.iterator(); i.hasNext(); ) {
                if (i.next().startsWith("b")) {
                    names.remove("bob");
                }
            }
        } catch (ConcurrentModificationException expected) {
            System.out.println("the list noticed, too");
        }
    }
}
