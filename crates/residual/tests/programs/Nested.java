import java.util.*;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Lists in collections: what is put into one comes out of that one, unless it is given away. */
public class Nested {
    static int count;

    // Never changed, though lists that come out of others are.
    static final List<List<String>> fixed = new ArrayList<>();
    static void fixed() { fixed.add(new ArrayList<>(List.of("a"))); }
    static void showFixed() { for (List<String> l : fixed) for (String s : l) count++; }

    // By an iterator over a view, by an entry, by an entry of the program's making.
    static final Map<String, List<String>> values = new HashMap<>();
    static void values() { List<String> l = list("a"); values.put("k", l); for (String s : l) count++; }
    static void changeValues() { for (List<String> l : values.values()) l.add("x"); }
    static final Map<String, List<String>> entries = new TreeMap<>();
    static void entries() { List<String> l = list("a"); entries.put("k", l); for (String s : l) count++; }
    static void changeEntries() {
        for (Map.Entry<String, List<String>> e : entries.entrySet()) e.getValue().add("x");
    }
    static Map.Entry<String, List<String>> entry;
    static void entry() { List<String> l = list("a"); entry = Map.entry("k", l); for (String s : l) count++; }
    static void changeEntry() { entry.getValue().add("x"); }
    static final Map<String, List<String>> set = new HashMap<>();
    static void set() {
        List<String> l = list("a");
        set.put("k", new LinkedList<>());
        for (Map.Entry<String, List<String>> e : set.entrySet()) e.setValue(l);
        for (String s : l) count++;
    }
    static void changeSet() { set.get("k").add("x"); }

    // By a copy.
    static final List<List<String>> original = new ArrayList<>();
    static List<List<String>> copy = new LinkedList<>();
    static void copied() {
        List<String> l = list("a");
        original.add(l);
        copy.add(new LinkedList<>());
        copy.addAll(original);
        for (String s : l) count++;
    }
    static void changeCopied() { for (List<String> l : copy) l.add("x"); }

    // By what anybody may do with what it is given: a wrapper, an array, a stream.
    static final List<List<String>> wrapped = new ArrayList<>();
    static void wrapped() { List<String> l = list("a"); wrapped.add(l); for (String s : l) count++; }
    static void changeWrapped() { Collections.unmodifiableList(wrapped).get(0).add("x"); }
    @SuppressWarnings("unchecked")
    static void changeArray() {
        List<List<String>> spilt = new ArrayList<>();
        List<String> l = list("a");
        spilt.add(l);
        Iterator<String> i = l.iterator();
        ((List<String>) spilt.toArray()[0]).add("x");
        try { i.next(); } catch (RuntimeException e) { count++; }
    }
    static final List<List<String>> streamed = new ArrayList<>();
    static void streamed() { List<String> l = list("a"); streamed.add(l); for (String s : l) count++; }
    static void changeStreamed() { streamed.stream().forEach(l -> l.add("x")); }

    // By a list of the program's class.
    static class Own extends ArrayList<List<String>> { }
    static final Own own = new Own();
    static void own() { List<String> l = list("a"); own.add(l); for (String s : l) count++; }
    static void changeOwn() { own.get(0).add("x"); }

    // By a function that gets it, and by one that puts it somewhere.
    static final List<List<String>> shown = new ArrayList<>();
    static void shown() { List<String> l = list("a"); shown.add(l); for (String s : l) count++; }
    static void changeShown() { shown.forEach(l -> l.add("x")); }
    static final List<List<String>> inner = new ArrayList<>();
    static final List<List<List<String>>> outer = new ArrayList<>();
    static void written() {
        List<String> l = list("a");
        inner.add(new LinkedList<>());
        outer.add(inner);
        outer.forEach(in -> in.add(l));
        for (String s : l) count++;
    }
    static void changeWritten() { for (List<String> l : inner) l.add("x"); }
    static final Map<String, List<String>> computed = new HashMap<>();
    static void computed() {
        for (String s : computed.computeIfAbsent("k", k -> new Vector<>(List.of("a")))) count++;
    }
    static void changeComputed() { computed.get("k").add("x"); }

    // By an iterator that puts it into its list.
    static final List<List<String>> through = new ArrayList<>();
    static void through() {
        List<String> l = list("a");
        through.add(new LinkedList<>());
        ListIterator<List<String>> i = through.listIterator();
        i.add(l);
        for (String s : l) count++;
    }
    static void changeThrough() { for (List<String> l : through) l.add("x"); }

    // By an iterator over a list that its caller knows by another name.
    static Iterator<List<String>> kept;
    static ConcurrentLinkedDeque<List<String>> make() {
        ConcurrentLinkedDeque<List<String>> made = new ConcurrentLinkedDeque<>();
        made.offerLast(new LinkedList<>());
        kept = made.descendingIterator();
        return made;
    }
    static void derived() {
        List<String> l = list("a");
        make().offerFirst(l);
        Iterator<String> i = l.iterator();
        while (kept.hasNext()) kept.next().add("x");
        try { i.next(); } catch (RuntimeException e) { count++; }
    }

    static List<String> list(String s) { return new ArrayList<>(List.of(s)); }

    public static void main(String[] a) {
        fixed(); showFixed();
        values(); changeValues();
        entries(); changeEntries();
        entry(); changeEntry();
        set(); changeSet();
        copied(); changeCopied();
        wrapped(); changeWrapped();
        changeArray();
        streamed(); changeStreamed();
        own(); changeOwn();
        shown(); changeShown();
        written(); changeWritten();
        computed(); changeComputed();
        through(); changeThrough();
        derived();
    }
}
