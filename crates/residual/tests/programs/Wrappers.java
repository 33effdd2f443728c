import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

// A wrapper of a wrapper is the wrapper itself; parts of a list are new objects.
class Wrappers {
    static final List<String> ALL = new ArrayList<>();
    static final List<String> OTHERS = new ArrayList<>(List.of("c"));
    static List<String> shown;
    static List<String> again;
    static List<String> part;

    static void change() {
        try {
            again.add("c");
        } catch (UnsupportedOperationException e) {
            // Nothing has changed.
        }
    }

    static void cut() {
        OTHERS.subList(0, 1).clear();
    }

    static void parts() {
        part = ALL.subList(0, 1);
        Iterator<String> i = part.iterator();
        cut();
        i.next();
    }

    public static void main(String[] args) {
        ALL.add("a");
        ALL.add("b");
        shown = Collections.unmodifiableList(ALL);
        again = Collections.unmodifiableList(shown);
        Iterator<String> i = shown.iterator();
        change();
        i.next();
        parts();
    }
}
