import java.util.*;

/** One thread: parts of sorted collections compare elements with their bounds, whatever they are asked. */
class AloneViews {
    private final List<Object> own = new ArrayList<>(List.of(1, 2));

    class Adding implements Comparator<String> {
        @Override
        public int compare(String one, String two) {
            own.add("compared");
            return one.compareTo(two);
        }
    }

    void counted(SortedMap<String, String> part) {
        Iterator<Object> it = own.iterator();
        part.size();
        take(it);
    }

    void emptied(SortedSet<String> part) {
        Iterator<Object> it = own.iterator();
        part.clear();
        take(it);
    }

    void asked(Collection<String> values) {
        Iterator<Object> it = own.iterator();
        values.isEmpty();
        take(it);
    }

    /** A list compares nothing to say how long it is. */
    void list(ArrayList<String> list) {
        for (Object one : own) list.size();
    }

    static int changed;

    static void take(Iterator<Object> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            changed++;
        }
    }

    public static void main(String[] args) {
        AloneViews views = new AloneViews();
        NavigableMap<String, String> map = new TreeMap<>(views.new Adding());
        for (String key : new String[] {"a", "b", "c", "d"}) map.put(key, key);
        views.counted(map.tailMap("b"));
        views.asked(map.subMap("b", "d").values());
        views.emptied(map.headMap("c", true).navigableKeySet());
        views.list(new ArrayList<>());
        System.out.println(changed);
    }
}
