import java.util.*;

/** A list that compares, and that a set is asked for. */
@SuppressWarnings({"unchecked", "rawtypes"})
public class HandedAsComparator {
    /** A list that compares. */
    static class Sorting extends ArrayList<String> implements Comparator<String> {
        @Override public int compare(String one, String two) {
            return 0;
        }
    }

    static void comparator() {
        Sorting l = new Sorting();
        l.add("a");
        Iterator<String> i = l.iterator();
        ((Collection) new TreeSet<>((Comparator<String>) l).comparator()).add("b");
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    public static void main(String[] args) {
        comparator();
    }
}
