import java.util.*;

/** A list that is compared because it is a component of a record. */
@SuppressWarnings({"unchecked", "rawtypes"})
public class HandedToRecords {
    record Pair(Object one) {}

    /** Changes whatever it is compared with. */
    static class Comparing {
        @Override public boolean equals(Object other) {
            ((Collection) other).add("changed");
            return false;
        }

        @Override public int hashCode() {
            return 1;
        }
    }

    static void component() {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        Iterator<String> i = l.iterator();
        new Pair(new Comparing()).equals(new Pair(l));
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    public static void main(String[] args) {
        component();
    }
}
