import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.*;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** Fields that are read by name. */
class NamedFields {
    @SuppressWarnings("rawtypes")
    static class Updated {
        private volatile List<String> items = new ArrayList<>();
        static final AtomicReferenceFieldUpdater<Updated, List> FIELD =
                AtomicReferenceFieldUpdater.newUpdater(Updated.class, List.class, "items");

        void put(String item) {
            items.add(item);
        }

        @SuppressWarnings("unchecked")
        List<String> peek() {
            return FIELD.get(this);
        }
    }

    static class Held {
        private List<String> parts = new ArrayList<>();

        void put(String item) {
            parts.add(item);
        }
    }

    static class Reader {
        static final VarHandle FIELD;

        static {
            try {
                FIELD = MethodHandles.privateLookupIn(Held.class, MethodHandles.lookup())
                        .findVarHandle(Held.class, "parts", List.class);
            } catch (ReflectiveOperationException e) {
                throw new Error(e);
            }
        }
    }

    static void take(Iterator<String> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    static class Reflected {
        private List<String> words = new ArrayList<>();

        void put(String item) {
            words.add(item);
        }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        Updated updated = new Updated();
        updated.put("a");
        Iterator<String> it = updated.peek().iterator();
        updated.put("b");
        take(it);
        Held held = new Held();
        held.put("a");
        Iterator<String> again = ((List<String>) Reader.FIELD.get(held)).iterator();
        held.put("b");
        take(again);
        Reflected reflected = new Reflected();
        reflected.put("a");
        Object words = Reflected.class.getDeclaredField("words").get(reflected);
        Iterator<String> third = ((List<String>) words).iterator();
        reflected.put("b");
        take(third);
    }
}
