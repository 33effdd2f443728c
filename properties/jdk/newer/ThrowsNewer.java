import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.stream.*;
import java.util.zip.*;

/** Uses of what newer JDKs have that throw. */
final class ThrowsNewer {
    static List<Integer> some() { return new ArrayList<>(List.of(1, 2, 3, 4)); }
    @Found("IteratorComodification")
    static void reversedLoop() { List<Integer> l = some(); for (int x : l.reversed()) l.add(x); }
    @Found("IteratorComodification")
    static void reversedAdd() { List<Integer> l = some(); for (int x : l) l.reversed().add(x); }
    @Found("IteratorComodification")
    static void reversedSet() { LinkedHashSet<Integer> l = new LinkedHashSet<>(some()); for (int x : l.reversed()) l.addFirst(x + 10); }
    @Found("MapViewComodification")
    static void reversedMap() { LinkedHashMap<Integer, Integer> m = new LinkedHashMap<>(Map.of(1, 1, 2, 2)); for (int k : m.reversed().keySet()) m.putFirst(k + 10, 1); }
    @Unseen("a view of a view of a map")
    static void reversedMapValues() { LinkedHashMap<Integer, Integer> m = new LinkedHashMap<>(Map.of(1, 1, 2, 2)); for (int k : m.sequencedValues().reversed()) m.putLast(k + 10, 1); }
    @Found("IteratorComodification")
    static void reversedDeque() { Deque<Integer> d = new LinkedList<>(some()); for (int x : d.reversed()) d.push(x); }
    @Found("TraversalComodification")
    static void reversedForEach() { List<Integer> l = some(); l.reversed().forEach(x -> l.add(x)); }
    @Found("IteratorComodification")
    static void reversedListIterator() { List<Integer> l = some(); ListIterator<Integer> i = l.reversed().listIterator(); l.add(1); i.next(); }
    @Found("TraversalComodification")
    static void reversedSubList() { List<Integer> l = some(), s = l.reversed().subList(0, 2); l.add(5); s.get(0); }
    @Found("ImmutableCollection")
    static void reversedImmutable() { List.of(1, 2).reversed().add(3); }
    @Found("ImmutableCollection")
    static void reversedUnmodifiable() { Collections.unmodifiableSequencedCollection(some()).removeFirst(); }
    @Found("ImmutableCollection")
    static void unmodifiableSequencedMap() { Collections.unmodifiableSequencedMap(new LinkedHashMap<>(Map.of(1, 2))).pollFirstEntry(); }
    @Found("ImmutableCollection")
    static void treeAddFirst() { new TreeSet<>(some()).addFirst(1); }
    @Found("ImmutableCollection")
    static void treePutFirst() { new TreeMap<>(Map.of(1, 1)).putFirst(2, 2); }
    @Found("MapViewComodification")
    static void sequencedEntries() { LinkedHashMap<Integer, Integer> m = new LinkedHashMap<>(Map.of(1, 1, 2, 2)); for (Map.Entry<Integer, Integer> e : m.sequencedEntrySet()) m.pollFirstEntry(); }
    @Found("CollectionEmpty")
    static void getFirstEmpty() { new ArrayList<>().getFirst(); }
    @Found("CollectionEmpty")
    static void getLastReversed() { new LinkedHashSet<>().reversed().getLast(); }
    @Found("CollectionEmpty")
    static void removeLastEmpty() { new ArrayList<Integer>().removeLast(); }
    @Found("CollectionEmpty")
    static void keySetFirst() { new LinkedHashMap<>().sequencedKeySet().getFirst(); }
    @Found("ThreadStartedTwice")
    static void virtualTwice() throws Exception { Thread t = Thread.ofVirtual().unstarted(() -> { }); t.start(); t.start(); }
    @Unseen("a newer method without a property")
    static void builderJoin() throws Exception { Thread.ofPlatform().unstarted(() -> { }).join(java.time.Duration.ofMillis(1)); }
    @Found("LockUnlock")
    static void virtualUnlock() throws Throwable { Throwable[] e = new Throwable[1]; Lock l = new ReentrantLock(); Thread t = Thread.ofVirtual().unstarted(() -> l.unlock()); t.setUncaughtExceptionHandler((x, y) -> e[0] = y); t.start(); t.join(); throw e[0]; }
    @Found("WaitNotify")
    static void virtualWait() throws Throwable { Throwable[] e = new Throwable[1]; Thread t = Thread.ofVirtual().unstarted(() -> new Object().notify()); t.setUncaughtExceptionHandler((x, y) -> e[0] = y); t.start(); t.join(); throw e[0]; }
    @Found("DeflaterEnded")
    static void closedDeflater() throws Exception { Deflater d = new Deflater(); d.close(); d.deflate(new byte[3]); }
    @Found("DeflaterEnded")
    static void closedInflater() throws Exception { Inflater d = new Inflater(); d.close(); d.reset(); }
    @Found("StreamReused")
    static void gatherTwice() { Stream<Integer> s = some().stream(); s.gather(Gatherers.windowFixed(2)); s.gather(Gatherers.windowFixed(2)); }
    @Found("StreamReused")
    static void mapMultiTwice() { Stream<Integer> s = some().stream(); s.count(); s.mapMulti((x, c) -> { }); }
    @Found("TraversalComodification")
    static void gatherComod() { List<Integer> l = some(); l.stream().gather(Gatherers.scan(() -> 0, (a, b) -> { l.add(1); return a + b; })).toList(); }
    @Found("ReaderClosed")
    static void readAllLinesClosed() throws IOException { Reader r = new StringReader("a"); r.close(); r.readAllLines(); }
    @Found("ReaderClosed")
    static void readAllClosed() throws IOException { Reader r = Reader.of("a"); r.close(); r.readAllAsString(); }
    @Found("CollectionEmpty")
    static void exchanged() { new PriorityQueue<>().element(); }
    @Found("ScannerClosed")
    static void splitWithDelimiters() { Scanner s = new Scanner("a"); s.close(); s.findInLine("a"); }
    @Found("ReaderClosed")
    static void closedReader() throws Exception { Process p = new ProcessBuilder("true").start(); BufferedReader r = p.inputReader(); r.close(); r.read(); }
    @Found("TraversalComodification")
    static void copyOfSub() { List<Integer> l = some(), s = l.subList(0, 1); l.add(1); Set.copyOf(s); }
}
