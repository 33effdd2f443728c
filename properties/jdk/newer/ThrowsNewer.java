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
    @Found("ThreadJoinedEarly")
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
    @Found("CollectionEmpty")
    static void linkedSetGetFirst() throws Exception { LinkedHashSet<Integer> c = new LinkedHashSet<>(); c.getFirst(); }
    @Found("CollectionEmpty")
    static void linkedSetGetLast() throws Exception { LinkedHashSet<Integer> c = new LinkedHashSet<>(); c.getLast(); }
    @Found("CollectionEmpty")
    static void linkedSetRemoveFirst() throws Exception { LinkedHashSet<Integer> c = new LinkedHashSet<>(); c.removeFirst(); }
    @Found("CollectionEmpty")
    static void linkedSetRemoveLast() throws Exception { LinkedHashSet<Integer> c = new LinkedHashSet<>(); c.removeLast(); }
    @Found("CollectionEmpty")
    static void treeSetGetFirst() throws Exception { TreeSet<Integer> c = new TreeSet<>(); c.getFirst(); }
    @Found("CollectionEmpty")
    static void treeSetGetLast() throws Exception { TreeSet<Integer> c = new TreeSet<>(); c.getLast(); }
    @Found("CollectionEmpty")
    static void treeSetRemoveFirst() throws Exception { TreeSet<Integer> c = new TreeSet<>(); c.removeFirst(); }
    @Found("CollectionEmpty")
    static void treeSetRemoveLast() throws Exception { TreeSet<Integer> c = new TreeSet<>(); c.removeLast(); }
    @Found("CollectionEmpty")
    static void arrayListGetFirst() throws Exception { ArrayList<Integer> c = new ArrayList<>(); c.getFirst(); }
    @Found("CollectionEmpty")
    static void arrayListGetLast() throws Exception { ArrayList<Integer> c = new ArrayList<>(); c.getLast(); }
    @Found("CollectionEmpty")
    static void arrayListRemoveFirst() throws Exception { ArrayList<Integer> c = new ArrayList<>(); c.removeFirst(); }
    @Found("CollectionEmpty")
    static void arrayListRemoveLast() throws Exception { ArrayList<Integer> c = new ArrayList<>(); c.removeLast(); }
    @Found("CollectionEmpty")
    static void copiedGetFirst() throws Exception { CopyOnWriteArrayList<Integer> c = new CopyOnWriteArrayList<>(); c.getFirst(); }
    @Found("CollectionEmpty")
    static void copiedGetLast() throws Exception { CopyOnWriteArrayList<Integer> c = new CopyOnWriteArrayList<>(); c.getLast(); }
    @Found("CollectionEmpty")
    static void copiedRemoveFirst() throws Exception { CopyOnWriteArrayList<Integer> c = new CopyOnWriteArrayList<>(); c.removeFirst(); }
    @Found("CollectionEmpty")
    static void copiedRemoveLast() throws Exception { CopyOnWriteArrayList<Integer> c = new CopyOnWriteArrayList<>(); c.removeLast(); }
    @Found("ExecutorAfterShutdown")
    static void poolExternalSubmit() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.externalSubmit(ForkJoinTask.adapt(() -> { })); }
    @Found("ExecutorAfterShutdown")
    static void poolLazySubmit() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.lazySubmit(ForkJoinTask.adapt(() -> { })); }
    @Found("ExecutorAfterShutdown")
    static void poolSubmitWithTimeout() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.submitWithTimeout(() -> 1, 1, TimeUnit.SECONDS, null); }
    @Found("ExecutorAfterShutdown")
    static void poolInvokeAllUninterruptibly() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.invokeAllUninterruptibly(List.of(() -> 1)); }
    @Found("SocketClosed")
    static void trafficClass() throws Exception { java.net.Socket s = new java.net.Socket(); s.close(); s.getTrafficClass(); }
    @Found("FutureResult")
    static void resultEarly() throws Exception { CompletableFuture<Integer> f = new CompletableFuture<>(); f.resultNow(); }
    @Found("FutureResult")
    static void resultOfFailed() throws Exception { CompletableFuture<Integer> f = CompletableFuture.failedFuture(new Exception()); f.resultNow(); }
    @Found("FutureResult")
    static void exceptionEarly() throws Exception { FutureTask<Integer> f = new FutureTask<>(() -> 1); f.exceptionNow(); }
    @Found("FutureResult")
    static void exceptionOfResult() throws Exception { FutureTask<Integer> f = new FutureTask<>(() -> 1); f.run(); f.exceptionNow(); }
    @Found("FutureResult")
    static void cancelledResult() throws Exception { ForkJoinTask<?> f = ForkJoinTask.adapt(() -> { }); f.cancel(true); f.resultNow(); }
    @Found("ThreadJoinedEarly")
    static void joinVirtual() throws Exception { Thread t = Thread.ofVirtual().unstarted(() -> { }); t.join(java.time.Duration.ofSeconds(1)); }
    @Found("ExecutorAfterShutdown")
    static void poolSchedule() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.schedule(() -> 1, 1, TimeUnit.SECONDS); }
    @Found("ExecutorAfterShutdown")
    static void poolAtFixedRate() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.scheduleAtFixedRate(() -> { }, 1, 1, TimeUnit.SECONDS); }
    @Found("ExecutorAfterShutdown")
    static void poolWithFixedDelay() throws Exception { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.scheduleWithFixedDelay(() -> { }, 1, 1, TimeUnit.SECONDS); }
    @Found("FutureResult")
    static void completableException() throws Exception { new CompletableFuture<Integer>().exceptionNow(); }
    @Found("FutureResult")
    static void forkJoinException() throws Exception { ForkJoinTask.adapt(() -> { }).exceptionNow(); }
    @Found("FutureResult")
    static void futureTaskResult() throws Exception { new FutureTask<>(() -> 1).resultNow(); }
}
