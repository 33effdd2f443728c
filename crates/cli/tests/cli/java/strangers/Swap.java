import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/** An agent that redefines classes of the program from their files, and has them transformed again. */
public class Swap {
    static Instrumentation tools;

    public static void premain(String arguments, Instrumentation tools) throws Exception {
        Swap.tools = tools;
        // The JVM has not linked the first two yet, and says little about such classes. Of the last one, the
        // agent needs a field.
        for (Class<?> early : new Class<?>[] {Early.class, Alone.class, Thread.class}) {
            tools.redefineClasses(new ClassDefinition(early, file(early)));
        }
    }

    public static class Early extends Box implements Iterator<Integer> {
        public boolean hasNext() { return false; }
        public Integer next() { return 0; }
        Function<List<Integer>, Iterator<Integer>> way() { return List::iterator; }
    }

    /** The same, and nothing above it has hidden members. */
    public static class Alone implements Iterator<Integer> {
        public boolean hasNext() { return false; }
        public Integer next() { return 0; }
    }

    public static class Box implements Iterable<Integer>, Cloneable, java.io.Serializable {
        final List<Integer> all = new ArrayList<>(List.of(1, 2));
        public Iterator<Integer> iterator() { return all.iterator(); }
        Function<List<Integer>, Iterator<Integer>> way() { return List::iterator; }
        void spoil() {
            Iterator<Integer> stale = way().apply(all);
            all.add(3);
            try {
                stale.next();
            } catch (ConcurrentModificationException e) {
                System.out.println("stale");
            }
        }
    }

    static byte[] file(Class<?> of) throws Exception {
        try (InputStream in = of.getResourceAsStream("/" + of.getName().replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }

    public static void main(String[] args) throws Exception {
        new Early().spoil();
        System.out.println(new Alone().hasNext());
        Box before = new Box();
        before.spoil();
        tools.redefineClasses(new ClassDefinition(Box.class, file(Box.class)));
        new Box().spoil();
        // What the JVM shows is written back; then the file of the class takes its place.
        byte[][] shown = new byte[1][];
        ClassFileTransformer transformer = new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> of, ProtectionDomain domain, byte[] bytes) {
                if (of != Box.class) return null;
                if (shown[0] == null) {
                    shown[0] = bytes.clone();
                    return bytes;
                }
                try {
                    return file(Box.class);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        tools.addTransformer(transformer, true);
        tools.retransformClasses(Box.class);
        new Box().spoil();
        tools.redefineClasses(new ClassDefinition(Box.class, shown[0]));
        tools.retransformClasses(Box.class);
        tools.removeTransformer(transformer);
        tools.redefineClasses(new ClassDefinition(Box.class, shown[0]));
        new Box().spoil();
        before.spoil();
        for (int each : new Box()) System.out.println(each);
    }
}
