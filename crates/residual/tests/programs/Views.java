import java.util.*;

/** Views of maps: what is asked of one is asked of all names of it, and of no other map's. */
class Views {
    static Map<String, String> shared;

    /** The older map's view is asked, the newer one's is used. */
    static void older(int n) {
        Map<String, String> before = null;
        for (int k = 0; k < n; k++) {
            Map<String, String> map = new HashMap<>();
            if (before != null) {
                before.keySet().isEmpty();
                map.keySet().size();
            }
            before = map;
        }
    }

    /** Whoever has the map has its view. */
    static void leaves() {
        Map<String, String> map = new HashMap<>();
        map.keySet().isEmpty();
        shared = map;
    }

    /** Asked, used, gone. */
    static int local() {
        Map<String, String> map = new HashMap<>();
        Set<String> keys = map.keySet();
        return keys.isEmpty() ? map.keySet().size() : 1;
    }

    public static void main(String[] args) {
        older(2);
        leaves();
        System.out.println(shared.keySet().size() + local());
    }
}
