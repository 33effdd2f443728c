import java.util.*;
import java.util.concurrent.*;

/** Sets that hand themselves to what they are compared with, behind wrappers. */
class HandedBySets {
    static Set<Object> kept;

    static class Asking extends AbstractSet<Object> {
        public int size() {
            return 0;
        }

        public Iterator<Object> iterator() {
            return Collections.emptyIterator();
        }

        @Override
        @SuppressWarnings("unchecked")
        public boolean containsAll(Collection<?> all) {
            kept = (Set<Object>) all;
            return true;
        }
    }

    static void wrapped() {
        Set<Object> set = new ConcurrentSkipListSet<>(List.of("a", "b"));
        Collections.unmodifiableSet(set).equals(new Asking());
        Iterator<Object> all = set.iterator();
        kept.add("c");
        all.next();
    }

    static void locked() {
        Set<Object> set = new ConcurrentSkipListSet<>(List.of("a", "b"));
        Collections.synchronizedSet(set).equals(new Asking());
        Iterator<Object> all = set.iterator();
        kept.add("c");
        all.next();
    }

    public static void main(String[] args) {
        wrapped();
        locked();
    }
}
