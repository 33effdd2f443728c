import java.io.Serializable;
import java.util.*;

/** Views and parts of what wraps a collection of the program hand its iterators through. */
class WrappedViews {
    /** Not serialisable, other than what wraps it: a cast tells them apart. */
    static class Own extends AbstractList<String> {
        static Iterator<String> last;
        private final List<String> all = new ArrayList<>();

        @Override
        public String get(int index) {
            return all.get(index);
        }

        @Override
        public int size() {
            return all.size();
        }

        @Override
        public void add(int index, String one) {
            all.add(index, one);
        }

        @Override
        public Iterator<String> iterator() {
            last = all.iterator();
            return last;
        }

        @Override
        public List<String> subList(int from, int to) {
            Own part = new Own();
            part.addAll(all);
            return part;
        }
    }

    static class OwnMap extends HashMap<String, String> {
        @Override
        public Collection<String> values() {
            Own all = new Own();
            all.addAll(super.values());
            return all;
        }
    }

    static int length(Collection<String> all) {
        int length = 0;
        for (String one : all) length += one.length();
        return length;
    }

    @SuppressWarnings("unchecked")
    static int lengthOfPart(List<String> all) {
        int length = 0;
        Serializable part = (Serializable) all.subList(0, 1);
        for (String one : (Collection<String>) part) length += one.length();
        return length;
    }

    @SuppressWarnings("unchecked")
    static int lengthOfView(Map<String, String> all) {
        int length = 0;
        Serializable view = (Serializable) all.values();
        for (String one : (Collection<String>) view) length += one.length();
        return length;
    }

    /** The JDK's own, wrapped by somebody who was given it. */
    static int plain(List<String> list) {
        int length = 0;
        for (String one : Collections.synchronizedList(list)) length += one.length();
        return length;
    }

    public static void main(String[] args) {
        Own own = new Own();
        own.add("a");
        OwnMap map = new OwnMap();
        map.put("a", "b");
        System.out.println(length(own)
                + lengthOfPart(Collections.synchronizedList(own))
                + lengthOfView(Collections.synchronizedMap(map))
                + plain(new ArrayList<>(own)));
    }
}
