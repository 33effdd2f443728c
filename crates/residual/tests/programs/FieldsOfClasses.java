import java.lang.reflect.Field;
import java.util.*;

/** All fields of a class that is named, or of that of `this`, are read by reflection. */
class FieldsOfClasses {
    static class Held {
        private List<String> items = new ArrayList<>();

        void put(String item) {
            items.add(item);
        }
    }

    static class Self {
        private List<String> parts = new ArrayList<>();

        void put(String item) {
            parts.add(item);
        }

        Object first() throws Exception {
            return getClass().getDeclaredFields()[0].get(this);
        }
    }

    /** Nobody reads these. */
    static class Apart {
        private List<String> own = new ArrayList<>();

        void put(String item) {
            own.add(item);
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
    public static void main(String[] args) throws Exception {
        Held held = new Held();
        held.put("a");
        Field field = Held.class.getDeclaredFields()[0];
        Iterator<String> it = ((List<String>) field.get(held)).iterator();
        held.put("b");
        take(it);
        Self self = new Self();
        self.put("a");
        it = ((List<String>) self.first()).iterator();
        self.put("b");
        take(it);
        new Apart().put("a");
    }
}
