import java.util.*;

/** A field is written by its name: what it holds is not only what its class put there. */
class WrittenFields {
    static class Held {
        private List<String> items = new ArrayList<>();

        void put(String item) {
            items.add(item);
        }
    }

    static void take(Iterator<String> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) throws Exception {
        Held held = new Held();
        List<String> list = new LinkedList<>(Arrays.asList("a", "b"));
        Held.class.getDeclaredField("items").set(held, list);
        Iterator<String> it = list.iterator();
        held.put("c");
        take(it);
    }
}
