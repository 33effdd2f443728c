import java.io.*;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;

/** Lists that are handed to a stream which replaces what it writes: in the map of a view, in a transient
 *  field that is written all the same. What is not handed to it stays alone. */
public class ReplacedViews {
    static class Kept implements Serializable {
        private static final long serialVersionUID = 1;
        private static final ObjectStreamField[] serialPersistentFields = {
            new ObjectStreamField("kept", Collection.class)
        };
        private final transient Collection<String> kept = new LinkedList<>(List.of("a", "b"));

        void use(ObjectOutputStream out) throws IOException {
            Iterator<String> i = kept.iterator();
            out.writeObject(this);
            try { i.next(); } catch (ConcurrentModificationException e) { }
        }
    }

    static class Other {
        private final Collection<String> kept = new LinkedList<>(List.of("a", "b"));

        void use(ObjectOutputStream out) throws IOException {
            Iterator<String> i = kept.iterator();
            out.writeObject("text");
            i.next();
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
            if (object instanceof ConcurrentHashMap) {
                ((Collection<?>) ((ConcurrentHashMap<?, ?>) object).get("k")).clear();
            }
            return object;
        }
    }

    static void viewed(ObjectOutputStream out) throws IOException {
        ConcurrentHashMap<String, Collection<String>> m = new ConcurrentHashMap<>();
        Collection<String> l = new ArrayDeque<>(List.of("a", "b"));
        m.put("k", l);
        Iterator<String> i = l.iterator();
        out.writeObject(m.keySet());
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    static void alone(ObjectOutputStream out) throws IOException {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        for (String s : l) out.writeObject(s);
        l.add("c");
    }

    public static void main(String[] args) throws IOException {
        new Kept().use(new Replacing());
        new Other().use(new Replacing());
        viewed(new Replacing());
        alone(new Replacing());
    }
}
