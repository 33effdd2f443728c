import java.util.*;

/** A list that is in another comes out of a wrapper of that. */
public class Opened {
    static int count;
    static final List<List<String>> wrapped = new ArrayList<>();

    static void put() {
        List<String> l = new ArrayList<>(List.of("a"));
        wrapped.add(l);
        Iterator<String> i = l.iterator();
        change();
        try { i.next(); } catch (RuntimeException e) { count++; }
    }

    static void change() { Collections.unmodifiableList(wrapped).get(0).add("x"); }

    public static void main(String[] a) { put(); }
}
