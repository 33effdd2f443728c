import java.io.*;
import java.util.*;

/** Serialisation gets to an object by a field and a list that nobody else has, and calls its method. */
public class Serialised {
    static Iterator<String> kept;

    static class Own extends ArrayList<String> {
        private void writeObject(ObjectOutputStream out) { kept = iterator(); }
    }

    static class Holder implements Serializable {
        private final List<Own> all = new ArrayList<>();
    }

    public static void main(String[] a) throws IOException {
        Holder holder = new Holder();
        Own own = new Own();
        holder.all.add(own);
        own.add("a");
        new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(holder);
        own.add("b");
        try { kept.next(); } catch (ConcurrentModificationException e) { System.out.println("changed"); }
    }
}
