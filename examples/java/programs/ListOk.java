import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Removes through the iterator, and changes the list between loops. */
public class ListOk {
    public static void main(String[] args) {
        List<String> names = new ArrayList<>(List.of("ada", "bob", "eve", "joe"));
        for (Iterator<String> i = names.iterator(); i.hasNext(); ) {
            if (i.next().startsWith("b")) {
                i.remove();
            }
        }
        names.add("liz");
        for (String name : names) {
            System.out.println(name);
        }
    }
}
