import java.util.*;

/** One thread: an object of the program is asked more than other objects are, because of what it extends. */
class AloneAsked {
    static class Moment extends Date {
        @Override
        public long getTime() {
            change();
            return 1;
        }
    }

    static final List<Object> SHARED = new ArrayList<>(List.of(1, 2));

    static void change() {
        SHARED.add(3);
    }

    static void run(Set<Object> moments, Object moment) {
        Iterator<Object> it = SHARED.iterator();
        moments.add(moment);
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        run(new HashSet<>(), new Moment());
    }
}
