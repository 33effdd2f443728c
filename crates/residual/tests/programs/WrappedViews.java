import java.util.*;

/** Views and parts of what wraps a collection of the program hand its iterators through. */
class WrappedViews {
    static class Own extends ArrayList<String> {
        static Iterator<String> last;

        @Override
        public Iterator<String> iterator() {
            last = super.iterator();
            return last;
        }

        @Override
        public List<String> subList(int from, int to) {
            return this;
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

    static int lengthOfPart(List<String> all) {
        int length = 0;
        for (String one : all.subList(0, 1)) length += one.length();
        return length;
    }

    static int lengthOfView(Map<String, String> all) {
        int length = 0;
        for (String one : all.values()) length += one.length();
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
