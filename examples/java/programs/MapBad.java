import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** Puts into a map while iterating over its keys; the map does not notice at its end. */
public class MapBad {
    public static void main(String[] args) {
        Map<String, Integer> ages = new HashMap<>(Map.of("ada", 36));
        Iterator<String> keys = ages.keySet().iterator();
        ages.put("bob", 27);
        try {
            System.out.println(keys.next());
        } catch (java.util.ConcurrentModificationException expected) {
            System.out.println("the map noticed, too");
        }
    }
}
