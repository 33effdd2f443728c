import java.util.*;

/** One thread, in which the JDK calls methods of the program in the middle of everything. */
class Alone {
    static final List<Object> SHARED = new ArrayList<>(List.of(1, 2, 3));

    static class Element implements Comparable<Element> {
        @Override
        public int compareTo(Element other) {
            SHARED.add("compared");
            return 0;
        }

        @Override
        public String toString() {
            SHARED.add("shown");
            return "";
        }

        @Override
        public int hashCode() {
            SHARED.add("hashed");
            return 1;
        }
    }

    static class Computed extends AbstractList<Object> {
        @Override
        public int size() {
            return 2;
        }

        @Override
        public Object get(int index) {
            SHARED.add("got");
            return index;
        }
    }

    static void compared(List<Object> outer) {
        PriorityQueue<Element> queue = new PriorityQueue<>();
        queue.add(new Element());
        queue.add(new Element());
        queue.add(new Element());
        Iterator<Object> it = outer.iterator();
        queue.poll();
        take(it);
    }

    static void shown(List<Object> outer) {
        List<Object> list = new ArrayList<>();
        list.add(new Element());
        Iterator<Object> it = outer.iterator();
        list.toString();
        take(it);
    }

    static void hashed(List<Object> outer) {
        List<Object> list = new ArrayList<>();
        list.add(new Element());
        Iterator<Object> it = outer.iterator();
        list.hashCode();
        take(it);
    }

    static void joined(List<Object> outer) {
        List<Object> list = new ArrayList<>();
        list.add(new Element());
        Iterator<Object> it = outer.iterator();
        System.out.println("" + list);
        take(it);
    }

    static void computed(List<Object> outer, List<Object> other) {
        Iterator<Object> inner = other.iterator();
        Iterator<Object> it = outer.iterator();
        inner.next();
        take(it);
    }

    /** Nobody else can be in the way here. */
    static int untouched(List<Object> outer) {
        List<Object> list = new ArrayList<>();
        Iterator<Object> it = outer.iterator();
        list.size();
        it.next();
        return list.size();
    }

    static int zero;
    static Iterator<Object> left;

    /** The iterator lives on, and nobody acts before it does. */
    static Iterator<Object> stale() {
        List<Object> list = new ArrayList<>();
        Iterator<Object> it = list.iterator();
        list.add(1);
        return it;
    }

    /** The only way out is an exception. */
    static void never() {
        List<Object> list = new ArrayList<>();
        Iterator<Object> it = list.iterator();
        list.add(1);
        left = it;
        for (;;) zero = 1 / zero;
    }

    static class Quarrel extends Exception {
        @Override
        public String getMessage() {
            SHARED.add("told");
            return "";
        }
    }

    /** An exception is asked for its message. */
    static void explained(List<Object> outer, Exception cause) {
        Iterator<Object> it = outer.iterator();
        new RuntimeException(cause);
        take(it);
    }

    static void take(Iterator<Object> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        compared(SHARED);
        shown(SHARED);
        hashed(SHARED);
        joined(SHARED);
        computed(SHARED, new Computed());
        explained(SHARED, new Quarrel());
        System.out.println(untouched(SHARED));
        take(stale());
        try {
            never();
        } catch (ArithmeticException e) {
            take(left);
        }
    }
}
