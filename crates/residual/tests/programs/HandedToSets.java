import java.util.*;
import java.util.concurrent.ConcurrentHashMap;

/** A view that `equals` hands to the other set. */
@SuppressWarnings({"unchecked", "rawtypes"})
public class HandedToSets {
    /** Changes the set that it is asked about. */
    static class Asking extends AbstractSet<String> {
        @Override public int size() {
            return 0;
        }

        @Override public Iterator<String> iterator() {
            return Collections.emptyIterator();
        }

        @Override public boolean containsAll(Collection<?> all) {
            all.clear();
            return false;
        }
    }

    static void asked() {
        Set<String> view = new ConcurrentHashMap<>(Map.of("a", 1, "b", 2)).keySet();
        Iterator<String> i = view.iterator();
        view.equals(new Asking());
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    public static void main(String[] args) {
        asked();
    }
}
