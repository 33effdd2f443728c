import java.util.*;

/** `iterator` of the JDK returns what `listIterator` of the program returns: not a new object. */
class SharedIterators {
    static class Sequence extends AbstractSequentialList<Object> {
        private final ListIterator<Object> shared =
                new ArrayList<Object>(List.of(1, 2, 3, 4)).listIterator();

        @Override
        public int size() {
            return 4;
        }

        @Override
        public ListIterator<Object> listIterator(int index) {
            return shared;
        }
    }

    static class Linked extends LinkedList<Object> {
        private ListIterator<Object> shared;

        @Override
        public ListIterator<Object> listIterator(int index) {
            if (shared == null) {
                shared = super.listIterator(index);
            }
            return shared;
        }

        /** What it calls asks `listIterator`. */
        Iterator<Object> above() {
            return super.iterator();
        }
    }

    static void ask(Collection<Object> all) {
        Iterator<Object> it = all.iterator();
        it.hasNext();
    }

    static void take(Collection<Object> all) {
        Iterator<Object> it = all.iterator();
        it.next();
    }

    static void askAbove(Linked all) {
        Iterator<Object> it = all.above();
        it.hasNext();
    }

    public static void main(String[] args) {
        Sequence sequence = new Sequence();
        ask(sequence);
        take(sequence);
        Linked linked = new Linked();
        linked.add(1);
        linked.add(2);
        ask(linked);
        take(linked);
        askAbove(linked);
        take(linked);
        Collection<Object> wrapped = Collections.synchronizedCollection(new Sequence());
        ask(wrapped);
        take(wrapped);
    }
}
