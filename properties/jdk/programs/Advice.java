import java.util.*;

/** Uses that are usually mistakes: nothing throws. */
final class Advice {
    @Found("ThreadRunCalled")
    static void runCalled() { new Thread(() -> { }).run(); }
    @Found("SynchronizedIteration")
    static void loopWithoutMonitor() { List<String> l = Collections.synchronizedList(new ArrayList<>(List.of("a"))); for (String s : l) s.length(); }
    @Found("SynchronizedIteration")
    static void streamWithoutMonitor() { Collections.synchronizedSet(new HashSet<>(List.of("a"))).stream().count(); }
    @Found("HashSetElement")
    static void changedInSet() { Set<List<String>> s = new HashSet<>(); List<String> l = new ArrayList<>(); s.add(l); l.add("a"); s.contains(l); }
    @Found("HashSetElement")
    static void changedBeforeRemove() { Set<List<String>> s = new LinkedHashSet<>(); List<String> l = new ArrayList<>(); s.add(l); l.add("a"); s.remove(l); }
}
