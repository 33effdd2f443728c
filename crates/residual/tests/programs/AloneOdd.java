import java.nio.CharBuffer;
import java.util.*;

/** One thread: an iterator of the JDK reads from an object of the program. */
class AloneOdd {
    static class Source implements Readable {
        @Override
        public int read(CharBuffer buffer) {
            change();
            return -1;
        }
    }

    static final List<Object> SHARED = new ArrayList<>(List.of(1, 2));

    static void change() {
        SHARED.add(3);
    }

    static void run(Iterator<String> words) {
        Iterator<Object> it = SHARED.iterator();
        words.hasNext();
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        run(Optional.<Iterator<String>>of(new Scanner(new Source())).get());
    }
}
