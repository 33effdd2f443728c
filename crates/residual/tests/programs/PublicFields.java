import java.util.*;

/** Public fields are read by computed names, those that are not public cannot be. */
class PublicFields {
    public static class Held {
        public List<String> items = new ArrayList<>();
        private List<String> hidden = new ArrayList<>();

        void put(String item) {
            items.add(item);
        }

        void hide(String item) {
            hidden.add(item);
        }
    }

    static Object read(Object from, String name) throws Exception {
        return from.getClass().getField(name.toLowerCase()).get(from);
    }

    static void take(Iterator<String> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        Held held = new Held();
        held.put("a");
        held.hide("a");
        Iterator<String> it = ((List<String>) read(held, "ITEMS")).iterator();
        held.put("b");
        take(it);
    }
}
