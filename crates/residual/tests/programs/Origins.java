import java.util.*;
import java.util.function.*;

/** Where objects come from and where they go, over the whole program: a pair of lists per rule. */
public class Origins {
    static int count;
    // Never iterated over: nothing to be told about it.
    List<String> log = new ArrayList<>();
    // Never changed after it was made.
    List<String> fixed = new ArrayList<>(List.of("a"));
    // Changed and iterated over.
    List<String> both = new ArrayList<>();
    Object[] slots = new Object[1];

    void log(String s) { log.add(s); }
    void fixed() { for (String s : fixed) count++; }
    void both(String s) { for (String t : both) count++; both.add(s); }

    // Through a call: the parameter is what the caller gives.
    static void fill(List<String> l) { l.add("x"); }
    static void show(List<String> l) { for (String s : l) count++; }
    List<String> passed = new ArrayList<>();
    void pass() { fill(passed); showPassed(passed); }
    static void showPassed(List<String> l) { for (String s : l) count++; }

    // Through a result.
    List<String> given = new ArrayList<>();
    List<String> give() { return given; }
    void take() { give().add("x"); for (String s : given) count++; }

    // Through the JDK: kept by a map.
    Map<String, List<String>> map = new HashMap<>();
    void keep() { List<String> l = new LinkedList<>(); map.put("k", l); for (String s : l) count++; }
    void back() { map.get("k").add("x"); }

    // Through a lambda.
    List<String> captured = new Vector<>();
    void lambda() { List<String> l = captured; run(() -> l.add("x")); for (String s : captured) count++; }
    static void run(Runnable r) { r.run(); }

    // Through a method that the JDK calls.
    static class Own extends ArrayList<String> {
        public boolean equals(Object o) { ((Stack<String>) o).add("x"); return true; }
        public int hashCode() { return 1; }
    }
    Stack<String> compared = new Stack<>();
    void compare() {
        Collection<Object> c = new ArrayDeque<>();
        c.contains(compared);
        new Own().containsAll(List.of());
        Objects.equals(new Own(), compared);
        for (String s : compared) count++;
    }

    public static void main(String[] a) {
        Origins o = new Origins();
        o.log("x"); o.fixed(); o.both("x"); o.pass(); o.take(); o.keep(); o.back(); o.lambda(); o.compare();
        show(List.of());
    }
}
