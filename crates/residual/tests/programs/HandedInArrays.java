import java.util.*;

/** Lists that the JDK puts into an array that it is given, or returns with it. */
@SuppressWarnings({"unchecked", "rawtypes"})
public class HandedInArrays {
    static void array() {
        List<String> l = new ArrayList<>(List.of("a", "b"));
        Collection<List<String>> in = new ArrayList<>();
        in.add(l);
        List[] filled = new List[1];
        in.toArray(filled);
        Iterator<String> i = l.iterator();
        filled[0].add("c");
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    static void returned() {
        List<String> l = new LinkedList<>(List.of("a", "b"));
        List[] given = new List[3];
        given[2] = l;
        Iterator<String> i = l.iterator();
        ((List) new ArrayList<>(List.of(List.of())).toArray(given)[2]).add("c");
        try { i.next(); } catch (ConcurrentModificationException e) { }
    }

    public static void main(String[] args) {
        array();
        returned();
    }
}
