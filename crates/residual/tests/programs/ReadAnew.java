import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A record that is read from a stream: its constructor gets what was written, or what replaces it. */
class ReadAnew {
    static List<String> held;

    static class Stand implements Serializable {
        private Object readResolve() {
            return held;
        }
    }

    @SuppressWarnings("unchecked")
    record Reads(Object of) implements Serializable {
        Reads {
            if (of instanceof List) {
                ((List<String>) of).add("read");
            }
        }
    }

    static void run() throws Exception {
        new Reads(new ArrayList<String>());
        List<String> list = new ArrayList<>();
        list.add("a");
        held = list;
        Iterator<String> all = list.iterator();
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        new ObjectOutputStream(to).writeObject(new Reads(new Stand()));
        new ObjectInputStream(new ByteArrayInputStream(to.toByteArray())).readObject();
        all.next();
    }

    public static void main(String[] args) throws Exception {
        try {
            run();
        } catch (java.util.ConcurrentModificationException expected) {
            // What the property is about.
        }
    }
}
