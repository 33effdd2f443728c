import java.util.*;

/** Iterators of a wrapped collection of the program are new, but what they do is the program's. */
class LeakingIterators {
    static Iterator<String> kept;

    static class Own extends ArrayList<String> {
        @Override
        public Iterator<String> iterator() {
            return new Walk(super.iterator());
        }
    }

    static class Walk implements Iterator<String> {
        private final Iterator<String> all;

        Walk(Iterator<String> all) {
            this.all = all;
        }

        public boolean hasNext() {
            return all.hasNext();
        }

        public String next() {
            kept = this;
            return all.next();
        }
    }

    static class Told extends ArrayList<String> {
        @Override
        public Iterator<String> iterator() {
            return new Telling(super.iterator());
        }
    }

    static class Telling implements Iterator<String> {
        private final Iterator<String> all;

        Telling(Iterator<String> all) {
            this.all = all;
            kept = this;
        }

        public boolean hasNext() {
            return all.hasNext();
        }

        public String next() {
            return all.next();
        }
    }

    static void first(Collection<String> own) {
        Collection<String> all = Collections.synchronizedCollection(own);
        Iterator<String> it = all.iterator();
        if (it.hasNext()) it.next();
        it.hasNext();
    }

    public static void main(String[] args) {
        Collection<String> own = new Own();
        own.add("a");
        own.add("b");
        first(own);
        kept.next();
        Collection<String> told = new Told();
        told.add("a");
        told.add("b");
        first(told);
        kept.next();
    }
}
