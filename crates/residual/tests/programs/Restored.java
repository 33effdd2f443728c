import java.io.*;
import java.util.*;

/** What an object holds that is read from a stream is not what its constructor made. */
class Restored {
    static class Kept implements Serializable {
        private final List<String> names = new ArrayList<>();

        void add(String name) {
            names.add(name);
        }
    }

    static class Reading extends ObjectInputStream {
        List<String> last;

        Reading(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
            enableResolveObject(true);
        }

        @Override
        @SuppressWarnings("unchecked")
        protected Object resolveObject(Object object) {
            if (object instanceof List) {
                last = (List<String>) object;
            }
            return object;
        }
    }

    static void changed(byte[] bytes) throws Exception {
        Reading in = new Reading(bytes);
        Kept kept = (Kept) in.readObject();
        Iterator<String> all = in.last.iterator();
        kept.add("b");
        try {
            all.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) throws Exception {
        Kept kept = new Kept();
        kept.add("a");
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        new ObjectOutputStream(to).writeObject(kept);
        changed(to.toByteArray());
    }
}
