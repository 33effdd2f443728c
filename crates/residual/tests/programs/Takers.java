import java.util.*;

/** Methods of the JDK that give what they get to methods that the program overrides. */
class Takers {
    static Iterator<Object> kept;

    static class Keeping extends HashSet<Object> {
        Keeping() {}

        Keeping(Collection<Object> all) {
            super(all);
        }

        @Override
        @SuppressWarnings("unchecked")
        public boolean addAll(Collection<?> all) {
            kept = ((Collection<Object>) all).iterator();
            return false;
        }
    }

    static class Placing extends LinkedList<Object> {
        @Override
        @SuppressWarnings("unchecked")
        public boolean addAll(int index, Collection<?> all) {
            kept = ((Collection<Object>) all).iterator();
            return false;
        }
    }

    /** A copy has its class. */
    static class Copied extends ArrayList<Object> {
        @Override
        public Iterator<Object> iterator() {
            return kept = super.iterator();
        }
    }

    static void constructed() {
        List<Object> list = new ArrayList<>(List.of("a"));
        new Keeping(list);
        list.add("b");
    }

    static void placed() {
        List<Object> list = new ArrayList<>(List.of("a"));
        new Placing().addAll(list);
        list.add("b");
    }

    static void wrapped() {
        List<Object> list = new ArrayList<>(List.of("a"));
        Collections.synchronizedCollection(new Keeping()).addAll(list);
        list.add("b");
    }

    @SuppressWarnings("unchecked")
    static void copied() {
        Copied first = new Copied();
        List<Object> list = (List<Object>) first.clone();
        list.add("a");
        list.iterator();
        list.add("b");
    }

    static void take() {
        try {
            kept.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        constructed();
        take();
        placed();
        take();
        wrapped();
        take();
        copied();
        take();
    }
}
