import java.io.*;
import java.nio.file.*;
import java.text.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.zip.*;

/** Legal uses of what newer JDKs have: sequenced collections, virtual threads, gatherers, scoped values. */
final class LegalNewer {
    static List<Integer> some() { return new ArrayList<>(List.of(1, 2, 3, 4)); }
    sealed interface Shape permits Circle, Square { }
    record Circle(int r) implements Shape, AutoCloseable { public void close() { } }
    record Square(List<Integer> sides) implements Shape, Iterable<Integer> { public Iterator<Integer> iterator() { return sides.iterator(); } }

    static void reversedIteration() { List<Integer> l = some(); for (int x : l.reversed()) x++; for (Iterator<Integer> i = l.reversed().iterator(); i.hasNext();) if (i.next() % 2 == 0) i.remove(); l.reversed().add(7); if (l.getFirst() != 7) throw new AssertionError(); l.reversed().reversed().add(8); l.removeFirst(); l.removeLast(); l.addFirst(3); }
    static void reversedSets() { LinkedHashSet<Integer> s = new LinkedHashSet<>(some()); s.reversed().add(9); s.addFirst(4); s.reversed().removeFirst(); for (int x : s.reversed()) x++; TreeSet<Integer> t = new TreeSet<>(some()); t.reversed().getFirst(); t.removeLast(); }
    static void reversedMaps() { LinkedHashMap<Integer, Integer> m = new LinkedHashMap<>(Map.of(1, 1, 2, 2)); m.putFirst(3, 3); m.reversed().put(4, 4); for (int k : m.sequencedKeySet().reversed()) m.put(k, 0); for (Map.Entry<Integer, Integer> e : m.reversed().sequencedEntrySet()) e.setValue(1); m.firstEntry(); m.pollLastEntry(); m.sequencedValues().reversed().stream().count(); }
    static void reversedStream() { List<Integer> l = some(); Stream<Integer> s = l.reversed().stream(); l.add(9); try { s.count(); } catch (ConcurrentModificationException e) { } ; Deque<Integer> d = new ArrayDeque<>(some()).reversed(); d.pop(); d.addFirst(1); for (int x : d) x++; }
    static void patternIterators() { Object o = new Square(some()); if (o instanceof Square(var sides)) { for (int x : sides) x++; } switch ((Shape) o) { case Circle c when c.r() > 1 -> c.close(); case Circle c -> { } case Square q -> { for (int x : q) x++; } } }
    static void virtualThreads() throws Exception { DateFormat f = new SimpleDateFormat("yyyy"); Lock l = new ReentrantLock(); try (ExecutorService e = Executors.newVirtualThreadPerTaskExecutor()) { for (int i = 0; i < 200; i++) e.submit(() -> { l.lock(); try { f.format(new Date()); Thread.yield(); } finally { l.unlock(); } }); } }
    static void virtualMonitors() throws Exception { List<Integer> l = Collections.synchronizedList(some()); try (ExecutorService e = Executors.newVirtualThreadPerTaskExecutor()) { for (int i = 0; i < 100; i++) e.submit(() -> { synchronized (l) { for (int x : l) Thread.yield(); l.add(1); } return null; }); } }
    static void virtualNested() throws Exception { List<Object> l = Collections.synchronizedList(new ArrayList<>()); l.add(new Object() { public String toString() { int n = 0; for (Object x : l) { n++; Thread.yield(); } return "" + n; } }); Thread t = Thread.ofVirtual().start(() -> l.toString()); t.join(); }
    static void virtualLockOrder() throws Exception { Lock a = new ReentrantLock(), b = new ReentrantLock(); Runnable r = () -> { a.lock(); b.lock(); Thread.yield(); b.unlock(); a.unlock(); }; Thread s = Thread.ofVirtual().start(r), t = Thread.ofVirtual().start(r); s.join(); t.join(); }
    static void closedExecutor() throws Exception { ExecutorService e = Executors.newFixedThreadPool(1); e.submit(() -> { }); e.close(); e.close(); e.shutdown(); try (ForkJoinPool p = new ForkJoinPool(2)) { p.submit(() -> 1).join(); } }
    static void virtualState() throws Exception { Thread t = Thread.ofVirtual().unstarted(() -> { }); t.setDaemon(true); t.setName("x"); t.start(); t.join(); Thread p = Thread.ofPlatform().daemon().unstarted(() -> { }); p.start(); p.join(java.time.Duration.ofSeconds(1)); }
    static void gatherers() { some().stream().gather(Gatherers.windowFixed(2)).toList(); Stream.iterate(1, x -> x + 1).gather(Gatherers.scan(() -> 0, Integer::sum)).limit(3).count(); some().stream().mapMulti((Integer x, Consumer<Integer> c) -> c.accept(x)).toList(); }
    static void scoped() throws Exception { ScopedValue<Integer> v = ScopedValue.newInstance(); ScopedValue.where(v, 1).run(() -> v.get()); v.orElse(3); if (v.isBound()) throw new AssertionError(); }
    static void runInScope() throws Exception { class W extends Thread { @Override public void run() { ScopedValue.where(ScopedValue.<Integer>newInstance(), 1).run(() -> super.run()); } } Thread t = new W(); t.start(); t.join(); }
    static void inflaterClosed() throws Exception { try (Deflater d = new Deflater(); Inflater i = new Inflater()) { d.setInput(new byte[3]); d.finish(); byte[] b = new byte[30]; i.setInput(b, 0, d.deflate(b)); i.inflate(new byte[3]); } }
    static void flexibleConstructor() throws Exception { class Own extends FilterReader { Own(String s) { Objects.requireNonNull(s); super(new StringReader(s)); } } try (Reader r = new Own("a")) { r.read(); } class List2 extends ArrayList<Integer> { final int n; List2(Collection<Integer> c) { int k = 0; for (int x : c) k += x; n = k; super(c); } } for (int x : new List2(some())) x++; }
    static void arena() { try (java.lang.foreign.Arena a = java.lang.foreign.Arena.ofConfined()) { java.nio.ByteBuffer b = a.allocate(16).asByteBuffer(); b.putInt(1).flip(); b.getInt(); } }
    static void stringTemplates() throws Exception { StringBuilder b = new StringBuilder(); b.repeat("x", 3); "a\nb".lines().toList(); Path p = Files.createTempFile("l25", ""); Files.writeString(p, "a"); try (var r = Reader.of("abc")) { r.readAllAsString(); } Files.delete(p); }
    static void processClosed() throws Exception { Process p = new ProcessBuilder("cat").start(); try (var w = p.outputWriter(); var r = p.inputReader()) { w.write("a\n"); w.flush(); r.readLine(); } p.waitFor(); }
    @Legal("FutureResult")
    static void resultOfDone() throws Exception { CompletableFuture<Integer> f = CompletableFuture.completedFuture(1); f.resultNow(); if (f.state() != Future.State.SUCCESS) throw new AssertionError(); CompletableFuture.failedFuture(new Exception()).exceptionNow(); FutureTask<Integer> t = new FutureTask<>(() -> 1); t.run(); t.resultNow(); }
    @Legal("FutureResult")
    static void resultIfDone() { CompletableFuture<Integer> f = new CompletableFuture<>(); if (f.state() == Future.State.SUCCESS) f.resultNow(); f.getNow(2); f.cancel(true); f.isDone(); f.state(); }
    @Legal("FutureResult")
    static void futureOfItsOwn() { class Always extends CompletableFuture<Integer> { @Override public Integer resultNow() { return 1; } } new Always().resultNow(); }
    @Legal("ThreadJoinedEarly, ThreadStartedTwice")
    static void joinedInTime() throws Exception { Thread t = Thread.ofVirtual().start(() -> { }); t.join(java.time.Duration.ofSeconds(9)); t.join(java.time.Duration.ZERO); t.join(); Thread p = Thread.ofPlatform().unstarted(() -> { }); p.join(); p.join(1); p.start(); p.join(java.time.Duration.ofSeconds(9)); }
    @Legal("ThreadJoinedEarly")
    static void joinedByItself() throws Exception { Thread t = Thread.startVirtualThread(() -> { try { Thread.currentThread().join(java.time.Duration.ofMillis(1)); } catch (InterruptedException e) { } }); t.join(java.time.Duration.ofSeconds(9)); }
    @Legal("ExecutorAfterShutdown")
    static void virtualExecutorClosed() throws Exception { try (ExecutorService e = Executors.newVirtualThreadPerTaskExecutor()) { for (int i = 0; i < 50; i++) e.submit(() -> 1); e.close(); e.close(); } }
    @Legal("SocketStreamClosed")
    static void virtualReaders() throws Exception { try (var l = new java.net.ServerSocket(0, 9, java.net.InetAddress.getLoopbackAddress()); ExecutorService e = Executors.newVirtualThreadPerTaskExecutor()) { for (int i = 0; i < 9; i++) { var s = new java.net.Socket(l.getInetAddress(), l.getLocalPort()); var p = l.accept(); e.submit(() -> { try (p) { return p.getInputStream().read(); } }); var o = s.getOutputStream(); o.write(1); o.flush(); s.close(); } } }
    @Legal("CollectionEmpty")
    static void emptySequences() { new ArrayList<>().reversed().isEmpty(); new LinkedHashMap<>().firstEntry(); new LinkedHashMap<>().pollLastEntry(); new TreeMap<>().reversed().lastEntry(); new ArrayDeque<>().reversed().peekFirst(); new LinkedHashSet<>().reversed().forEach(x -> { }); }
    @Legal("StreamReused")
    static void gatheredOnce() { Stream.of(1, 2, 3).gather(Gatherers.windowSliding(2)).map(List::size).toList(); Stream.<Integer>empty().gather(Gatherers.fold(() -> 0, Integer::sum)).findFirst().get(); Stream.of(1, 2).mapMulti((Integer x, java.util.function.Consumer<Object> c) -> c.accept(x)).count(); }
    @Legal("LockUnlock, WaitNotify")
    static void virtualNotifiers() throws Exception { Object o = new Object(); Lock l = new ReentrantLock(); Thread[] all = new Thread[9]; for (int i = 0; i < 9; i++) all[i] = Thread.startVirtualThread(() -> { l.lock(); try { synchronized (o) { o.notifyAll(); Thread.yield(); } } finally { l.unlock(); } }); for (Thread t : all) t.join(); }
    record Point(List<Integer> all) { Point { all = List.copyOf(all); } }
    @Legal("HashSetElement, ImmutableCollection")
    static void recordsInSets() { Set<Point> s = new HashSet<>(); List<Integer> l = new ArrayList<>(List.of(1)); Point p = new Point(l); s.add(p); l.add(2); if (!s.contains(p)) throw new AssertionError(); s.contains(new Point(List.of(1))); s.remove(p); }
}
