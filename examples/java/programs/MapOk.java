import java.util.HashMap;
import java.util.Map;

/** Changes a map only when nobody iterates over it. */
public class MapOk {
    public static void main(String[] args) {
        Map<String, Integer> ages = new HashMap<>();
        ages.put("ada", 36);
        for (String name : ages.keySet()) {
            System.out.println(name);
        }
        ages.put("bob", 27);
        for (Map.Entry<String, Integer> entry : ages.entrySet()) {
            System.out.println(entry.getKey());
        }
    }
}
