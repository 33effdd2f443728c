import java.util.*;
import java.util.concurrent.*;

/** A map hands out one view under several names. */
class MapViews {
    static void names() {
        TreeMap<String, String> map = filled();
        System.out.println(map.keySet().size());
        Iterator<String> it = map.navigableKeySet().iterator();
        map.put("x", "");
        take(it);
    }

    static void concurrent() {
        ConcurrentSkipListMap<String, String> map = new ConcurrentSkipListMap<>(filled());
        Map<String, String> same = map;
        System.out.println(same.keySet().size());
        Iterator<String> it = map.navigableKeySet().iterator();
        map.put("x", "");
        take(it);
    }

    /** Which map is asked for its view is not known. */
    static void either(Map<String, String> other, boolean own) {
        Map<String, String> map = new HashMap<>(filled());
        Map<String, String> one = own ? map : other;
        Set<String> view = one.keySet();
        Iterator<String> it = view.iterator();
        System.out.println(map.keySet().size());
        map.put("x", "");
        take(it);
    }

    static class Names {
        private final TreeMap<String, String> map = filled();

        int count() {
            return map.keySet().size();
        }

        void repeat() {
            for (String name : map.navigableKeySet()) {
                map.put(name + name, "");
            }
        }
    }

    static TreeMap<String, String> filled() {
        return new TreeMap<>(Map.of("a", "", "b", ""));
    }

    static void take(Iterator<String> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        names();
        concurrent();
        either(new HashMap<>(), true);
        Names names = new Names();
        System.out.println(names.count());
        try {
            names.repeat();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }
}
