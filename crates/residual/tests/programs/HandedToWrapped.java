import java.util.*;

/** A list that a wrapper hands to `equals` of what it wraps. */
@SuppressWarnings({"unchecked", "rawtypes"})
public class HandedToWrapped {
    /** Changes whatever it is compared with. */
    static class Wrapped extends AbstractList<String> {
        @Override public int size() {
            return 0;
        }

        @Override public String get(int index) {
            return null;
        }

        @Override public boolean equals(Object other) {
            ((Collection) other).remove("a");
            return false;
        }
    }

    static void wrapped() {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        Iterator<String> i = l.iterator();
        Collections.unmodifiableList(new Wrapped()).equals(l);
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    public static void main(String[] args) {
        wrapped();
    }
}
