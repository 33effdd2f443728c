import java.util.*;

/** An iterator that a method returns puts what it is given into the list that it came from. */
public class Cursors {
    static final List<Iterator<String>> all = new ArrayList<>();

    static ListIterator<Iterator<String>> cursor() { return all.listIterator(); }

    static void put(Iterator<String> i) {
        cursor().add(i);
        if (i.hasNext()) all.get(0).next();
    }

    public static void main(String[] a) {
        all.add(new Vector<>(List.of("b")).iterator());
        put(new ArrayList<>(List.of("a")).iterator());
    }
}
