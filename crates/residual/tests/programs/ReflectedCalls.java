import java.util.*;

/** Methods that reflection calls give away what they return and keep what they are given. */
class ReflectedCalls {
    public static class Holder {
        private final List<String> items = new ArrayList<>(List.of("a"));

        public List<String> items() {
            return items;
        }
    }

    public static class Taker {
        private final List<String> taken;

        public Taker(List<String> given) {
            taken = given;
        }

        void change() {
            taken.add("c");
        }
    }

    static void take(Iterator<String> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    @SuppressWarnings("unchecked")
    static void result() throws ReflectiveOperationException {
        Holder holder = new Holder();
        Iterator<String> it = holder.items.iterator();
        Object found = Holder.class.getMethod("items").invoke(holder);
        ((List<String>) found).add("b");
        take(it);
    }

    static void argument() throws ReflectiveOperationException {
        List<String> given = new ArrayList<>(List.of("a"));
        Iterator<String> it = given.iterator();
        Taker taker = Taker.class.getConstructor(List.class).newInstance(given);
        taker.change();
        take(it);
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        result();
        argument();
    }
}
