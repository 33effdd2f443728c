import java.io.*;
import java.util.*;

/** Lists that are handed to a stream which replaces what it writes: in a field, in a wrapper. */
public class Replaced {
    static class Kept implements Serializable {
        private static final long serialVersionUID = 1;
        private final Collection<String> kept = new LinkedList<>(List.of("a", "b"));

        void use(ObjectOutputStream out) throws IOException {
            Iterator<String> i = kept.iterator();
            out.writeObject(this);
            try { i.next(); } catch (ConcurrentModificationException e) { }
        }
    }

    static class Replacing extends ObjectOutputStream {
        Replacing() throws IOException {
            super(new ByteArrayOutputStream());
            enableReplaceObject(true);
        }

        @Override protected Object replaceObject(Object object) {
            if (object instanceof LinkedList || object instanceof ArrayList) {
                ((Collection<?>) object).clear();
            }
            return object;
        }
    }

    static void wrapped(ObjectOutputStream out) throws IOException {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        Iterator<String> i = l.iterator();
        out.writeObject(Collections.unmodifiableList(l));
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    public static void main(String[] args) throws IOException {
        new Kept().use(new Replacing());
        wrapped(new Replacing());
    }
}
