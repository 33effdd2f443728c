import java.io.*;
import java.util.*;

/** A class would replace what it serialises, but there are no objects of it. */
public class ReplacedNever {
    static class Replacing extends ObjectOutputStream {
        Replacing() throws IOException {
            super(new ByteArrayOutputStream());
            enableReplaceObject(true);
        }

        @Override protected Object replaceObject(Object object) {
            if (object instanceof ArrayList) ((Collection<?>) object).clear();
            return object;
        }
    }

    public static void main(String[] args) throws IOException {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        Iterator<String> i = l.iterator();
        new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(Collections.unmodifiableList(l).size());
        i.next();
    }
}
