import java.util.*;

/** One thread: sets that are compared have a comparator of the program. */
class AloneSorted {
    static class Order implements Comparator<Object> {
        @Override
        public int compare(Object one, Object two) {
            change();
            return 0;
        }
    }

    static final List<Object> SHARED = new ArrayList<>(List.of(1, 2));

    static void change() {
        SHARED.add(3);
    }

    static void run(Object one, Object two) {
        Iterator<Object> it = SHARED.iterator();
        one.equals(two);
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    static Object sorted() {
        Set<Object> set = new TreeSet<>(new Order());
        set.add(1);
        return set;
    }

    public static void main(String[] args) {
        run(sorted(), sorted());
    }
}
