import java.util.*;
import java.util.concurrent.atomic.AtomicReference;

/** Entries of a map that anybody has are anybody's. */
public class Entries {
    static final AtomicReference<Object> anybody = new AtomicReference<>();

    static void read(Map.Entry<String, String> entry) { }

    static void write(Map.Entry<String, String> entry) { }

    @SuppressWarnings("unchecked")
    static void show() {
        for (Map.Entry<String, String> entry : ((Map<String, String>) anybody.get()).entrySet()) {
            read(entry);
        }
    }

    public static void main(String[] args) {
        Map<String, String> map = new HashMap<>();
        map.put("a", "b");
        anybody.set(map);
        show();
        for (Map.Entry<String, String> entry : map.entrySet()) {
            write(entry);
        }
    }
}
