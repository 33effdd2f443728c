import java.util.*;

/** `TreeMap.keySet` returns what `navigableKeySet` returns, and that may be the program's. */
class OverriddenViews {
    static final NavigableSet<String> SHARED = new TreeSet<>(List.of("p", "q"));

    static class Odd extends TreeMap<String, String> {
        @Override
        public NavigableSet<String> navigableKeySet() {
            return SHARED;
        }
    }

    public static void main(String[] args) {
        Odd one = new Odd();
        TreeMap<String, String> two = new Odd();
        System.out.println(one.keySet().size());
        Iterator<String> it = two.keySet().iterator();
        it.next();
        one.put("x", "y");
        it.next();
    }
}
