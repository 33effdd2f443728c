import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.Statement;
import java.text.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.zip.*;

/** Uses that look like those advice is about, and are fine. */
final class LegalAdvice {
    @Legal("SynchronizedMapIteration")
    static void mapMonitorHeld() { Map<String, String> m = Collections.synchronizedMap(new HashMap<>(Map.of("a", "b"))); Set<String> keys = m.keySet(); synchronized (m) { for (String s : keys) s.length(); } }
    @Legal("SynchronizedMapIteration")
    static void plainMap() { Map<String, String> m = new HashMap<>(Map.of("a", "b")); synchronized (m) { m.clear(); } for (String s : m.values()) s.length(); }
    @Legal("SynchronizedMapIteration")
    static void mapMonitorHeldTwice() { Map<String, String> m = Collections.synchronizedSortedMap(new TreeMap<>(Map.of("a", "b"))); synchronized (m) { synchronized (m) { m.size(); } m.entrySet().stream().count(); } m.keySet().size(); }
    @Legal("SynchronizedIteration")
    static void listMonitorHeld() { List<String> l = Collections.synchronizedList(new ArrayList<>(List.of("a"))); synchronized (l) { for (String s : l) s.length(); } l.forEach(String::length); }
    @Legal("SynchronizedIteration")
    static void plainList() { List<String> l = new ArrayList<>(List.of("a")); for (String s : l) s.length(); }
    @Legal("BufferNotFlipped, BufferMisused")
    static void flipped() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putInt(1); b.flip(); c.write(b); b.clear(); b.putLong(2); b.rewind(); c.write(b); } }
    @Legal("BufferNotFlipped")
    static void putAtIndex() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putInt(0, 1).put(5, (byte) 2); c.write(b); } }
    @Legal("BufferNotFlipped")
    static void positioned() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putInt(1); b.limit(b.position()).position(0); c.write(b); c.write(ByteBuffer.wrap(new byte[3])); } }
    @Legal("WriterUnflushed, WriterClosed")
    static void closed() throws Exception { try (BufferedWriter w = new BufferedWriter(new FileWriter(file().toFile()))) { w.write("kept"); w.newLine(); } }
    @Legal("WriterUnflushed")
    static void flushed() throws Exception { Writer w = new OutputStreamWriter(new ByteArrayOutputStream()); w.write("kept"); w.flush(); }
    @Legal("WriterUnflushed")
    static void closedThroughWrapper() throws Exception { OutputStream inner = new BufferedOutputStream(Files.newOutputStream(file())); inner.write(1); try (DataOutputStream d = new DataOutputStream(inner)) { d.writeInt(2); } }
    @Legal("WriterUnflushed, DatagramSocketClosed, FormatterClosed, JdbcResultSetClosed, JdbcStatementClosed, WatchServiceClosed, ZipFileClosed")
    static void closedAsCloseable() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("kept"); Closeable c = w; c.close(); }
    @Legal("WriterUnflushed")
    static void flushedAsFlushable() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("kept"); Flushable f = w; f.flush(); }
    @Legal("WriterUnflushed")
    static void closedByHelper() throws Exception { GZIPOutputStream g = new GZIPOutputStream(Files.newOutputStream(file())); g.write(1); closeAll(g); }
    static void closeAll(AutoCloseable... all) throws Exception { for (AutoCloseable each : all) each.close(); }
    @Legal("WriterUnflushed")
    static void nothingWritten() throws Exception { new BufferedWriter(new OutputStreamWriter(new ByteArrayOutputStream())); }
    @Legal("WriterUnflushed")
    static void keptInCollection() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("kept"); List<Writer> all = new ArrayList<>(); all.add(w); for (Writer each : all) each.close(); }
    @Legal("JdbcTransactionOpen, JdbcAutoCommit")
    static void committed() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); c.createStatement(); c.commit(); } }
    @Legal("JdbcTransactionOpen, JdbcAutoCommit")
    static void rolledBack() throws Exception { Connection c = Jdbc.connection(); c.setAutoCommit(false); try { c.prepareStatement("a"); } finally { c.rollback(); c.close(); } }
    @Legal("JdbcTransactionOpen, JdbcAutoCommit, JdbcConnectionClosed, JdbcStatementClosed")
    static void automaticAgain() throws Exception { Connection c = Jdbc.connection(); c.setAutoCommit(false); c.createStatement(); c.setAutoCommit(true); c.createStatement(); c.close(); }
    @Legal("LockOrder")
    static void sameOrder() throws Exception {
        Object a = new Object(), b = new Object();
        for (int i = 0; i < 2; i++) inThread(() -> { synchronized (a) { synchronized (b) { synchronized (a) { } } } });
    }
    @Legal("LockOrder")
    static void oneThreadAlone() { Lock a = new ReentrantLock(), b = new ReentrantLock(); a.lock(); b.lock(); b.unlock(); a.unlock(); b.lock(); a.lock(); a.unlock(); b.unlock(); }
    @Legal("LockOrder")
    static void behindGate() throws Exception {
        Object a = new Object(), b = new Object(), gate = new Object();
        inThread(() -> { synchronized (gate) { synchronized (a) { synchronized (b) { } } } });
        inThread(() -> { synchronized (gate) { synchronized (b) { synchronized (a) { } } } });
    }
    @Legal("LockOrder")
    static void handOverHand() throws Exception {
        Lock[] locks = {new ReentrantLock(), new ReentrantLock(), new ReentrantLock()};
        for (int n = 0; n < 2; n++) inThread(() -> { locks[0].lock(); for (int i = 1; i < 3; i++) { locks[i].lock(); locks[i - 1].unlock(); } locks[2].unlock(); });
    }
    @Legal("LockOrder")
    static void tried() throws Exception {
        Lock a = new ReentrantLock(), b = new ReentrantLock();
        inThread(() -> { a.lock(); if (b.tryLock()) b.unlock(); a.unlock(); });
        inThread(() -> { b.lock(); if (a.tryLock()) a.unlock(); b.unlock(); });
    }
    @Legal("FormatShared")
    static void formatsInTurn() throws Exception { DateFormat f = new SimpleDateFormat("yyyy"); for (int i = 0; i < 2; i++) inThread(() -> f.format(new Date())); f.format(new Date()); }
    @Legal("FormatShared, ThreadConfiguredLate, ThreadStartedTwice")
    static void formatsExcludeEachOther() throws Exception {
        NumberFormat f = new DecimalFormat("0.0");
        Thread[] all = new Thread[4];
        for (int i = 0; i < 4; i++) { all[i] = new Thread(() -> { for (int n = 0; n < 200; n++) synchronized (f) { f.format(n); } }); all[i].start(); }
        for (Thread each : all) each.join();
    }
    @Legal("FormatShared")
    static void wrongDate() throws Exception { DateFormat f = new SimpleDateFormat("yyyy"); try { f.parse("x"); } catch (ParseException e) { } inThread(() -> f.format(new Date())); }
    @Legal("HashSetElement")
    static void removedBeforeChange() { Set<List<String>> s = new HashSet<>(); List<String> l = new ArrayList<>(); s.add(l); s.remove(l); l.add("a"); s.contains(l); }
    @Legal("HashSetElement")
    static void comparedByIdentity() { Set<Object> s = new HashSet<>(); Object o = new Object(); s.add(o); s.contains(o); s.contains(new Object()); }
    @Legal("ServerSocketClosed")
    static void serverClosed() throws Exception { try (ServerSocket s = new ServerSocket(0)) { s.setSoTimeout(1); try { s.accept(); } catch (SocketTimeoutException e) { } } }
    @Legal("ServerSocketClosed")
    static void serverStopped() throws Exception {
        ServerSocket s = new ServerSocket(0);
        CountDownLatch begun = new CountDownLatch(1);
        Thread t = new Thread(() -> { begun.countDown(); try { s.accept(); } catch (IOException e) { } });
        t.start();
        begun.await();
        while (t.getState() != Thread.State.RUNNABLE) Thread.onSpinWait();
        Thread.sleep(50);
        s.close();
        t.join();
    }
    @Legal("ExecutorAfterShutdown")
    static void executorShut() throws Exception { ExecutorService e = Executors.newFixedThreadPool(1); e.submit(() -> 1).get(); e.shutdown(); e.shutdownNow(); }
    @Legal("ExecutorAfterShutdown")
    static void executorFull() { ThreadPoolExecutor e = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new SynchronousQueue<>()); CountDownLatch l = new CountDownLatch(1); Runnable r = () -> { try { l.await(); } catch (InterruptedException x) { } }; e.execute(r); try { e.execute(r); } catch (RejectedExecutionException x) { } l.countDown(); e.shutdown(); }
    @Legal("ThreadRunCalled")
    static void threadStarted() throws Exception { inThread(() -> { }); }
    @Legal("ThreadRunCalled")
    static void runnableRun() { Runnable r = () -> { }; r.run(); }

    @Legal("FormatShared")
    static void ownFormatIsSafe() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        Format f = new Format() {
            @Override public StringBuffer format(Object o, StringBuffer s, FieldPosition p) { try { both.await(); } catch (Exception e) { } return s; }
            @Override public Object parseObject(String s, ParsePosition p) { return null; }
        };
        Thread t = new Thread(() -> f.format(1));
        t.start();
        f.format(2);
        t.join();
    }
    @Legal("SynchronizedIteration")
    static void loopInsideForEach() { List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1, 2))); l.forEach(x -> { for (int y : l) y++; }); }
    @Legal("SynchronizedIteration")
    static void loopInsideRemoveIf() { List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1, 2))); l.removeIf(x -> l.stream().count() > 5); }
    @Legal("SynchronizedMapIteration")
    static void loopInsideForEachOfMap() { Map<Integer, Integer> m = Collections.synchronizedMap(new HashMap<>(Map.of(1, 2))); m.forEach((k, v) -> { for (int y : m.keySet()) y++; }); }
    @Legal("HashSetElement")
    static void elementRemovedAsAnEqualOne() { Set<List<Integer>> s = new HashSet<>(); List<Integer> o = new ArrayList<>(List.of(1)); s.add(o); s.remove(List.of(1)); o.add(2); s.contains(o); }
    @Legal("HashSetElement")
    static void elementRemovedThroughAWrapper() { HashSet<List<Integer>> h = new HashSet<>(); Set<List<Integer>> w = Collections.synchronizedSet(h); List<Integer> o = new ArrayList<>(); h.add(o); w.remove(o); o.add(1); h.contains(o); }

    @Legal("JdbcTransactionOpen")
    static void onlyRead() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); c.createStatement().executeQuery("select * from t"); c.prepareStatement("select 1").execute(); } }
    @Legal("JdbcTransactionOpen")
    static void committedAsSql() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); Statement s = c.createStatement(); s.executeUpdate("insert into t values (1)"); s.execute("commit"); } }
    @Legal("JdbcTransactionOpen")
    static void committedByAnotherStatement() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); c.prepareStatement("update t set a = 1").executeUpdate(); c.prepareStatement("COMMIT").execute(); } }
    @Legal("JdbcTransactionOpen")
    static void rolledBackAsSql() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); Statement s = c.createStatement(); s.execute("delete from t"); c.createStatement().executeUpdate("ROLLBACK"); } }
    @Legal("JdbcTransactionOpen")
    static void nothingChanged() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); Jdbc.rows = 0; c.createStatement().executeUpdate("update t set a = 1 where false"); } finally { Jdbc.rows = 1; } }
    @Legal("LockOrder")
    static void readLocksCrosswise() throws Exception {
        ReadWriteLock a = new ReentrantReadWriteLock(), b = new ReentrantReadWriteLock();
        inThread(() -> { a.readLock().lock(); b.readLock().lock(); b.readLock().unlock(); a.readLock().unlock(); });
        inThread(() -> { b.readLock().lock(); a.readLock().lock(); a.readLock().unlock(); b.readLock().unlock(); });
    }
    @Legal("LockOrder")
    static void stampedReadLocksCrosswise() throws Exception {
        Lock a = new StampedLock().asReadLock(), b = new StampedLock().asReadLock();
        inThread(() -> { a.lock(); b.lock(); b.unlock(); a.unlock(); });
        inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); });
    }
    @Legal("LockOrder")
    static void unlockedElsewhere() throws Exception {
        Lock a = new ReentrantLock(), b = new ReentrantLock();
        Runnable one = () -> { a.lock(); Elsewhere.unlock(a); b.lock(); Elsewhere.unlock(b); a.lock(); a.unlock(); };
        inThread(() -> { one.run(); one.run(); });
        inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); });
        inThread(one);
    }
    @Legal("LockOrder")
    static void writeLockUnlockedElsewhere() throws Exception {
        Lock a = new ReentrantReadWriteLock().writeLock(), b = new ReentrantLock();
        Runnable one = () -> { a.lock(); Elsewhere.unlock(a); b.lock(); b.unlock(); };
        inThread(() -> { one.run(); one.run(); });
        inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); });
        inThread(one);
    }
    @Legal("LockOrder")
    static void unlockedElsewhereInsideOfMonitor() throws Exception {
        Lock a = new ReentrantLock();
        Object b = new Object();
        inThread(() -> { a.lock(); Elsewhere.unlock(a); synchronized (b) { b.hashCode(); } });
        inThread(() -> { synchronized (b) { a.lock(); a.unlock(); } });
    }
    @Legal("LockOrder")
    static void circleOfTwoThreads() throws Exception {
        Object a = new Object(), b = new Object(), c = new Object();
        inThread(() -> { synchronized (a) { synchronized (b) { } } synchronized (b) { synchronized (c) { } } });
        inThread(() -> { synchronized (c) { synchronized (a) { } } });
    }
    @Legal("LockOrder")
    static void oneGateOfTwo() throws Exception {
        Object a = new Object(), b = new Object(), g = new Object(), h = new Object();
        inThread(() -> { synchronized (g) { synchronized (a) { synchronized (b) { } } } synchronized (h) { synchronized (a) { synchronized (b) { } } } });
        inThread(() -> { synchronized (g) { synchronized (h) { synchronized (b) { synchronized (a) { } } } } });
    }
    @Legal("FormatShared")
    static void formatSynchronizesItself() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        DateFormat f = new SimpleDateFormat("yyyy") {
            @Override public synchronized StringBuffer format(Date d, StringBuffer b, FieldPosition p) {
                inside.countDown();
                try { Thread.sleep(30); } catch (InterruptedException e) { throw new AssertionError(e); }
                return super.format(d, b, p);
            }
        };
        Thread other = new Thread(() -> f.format(new Date()));
        other.start();
        inside.await();
        f.format(new Date());
        other.join();
    }
    @Legal("HashSetElement")
    static void clearedElsewhere() { Set<List<Integer>> s = new HashSet<>(); List<Integer> o = new ArrayList<>(); s.add(o); Elsewhere.clear(s); o.add(1); s.contains(o); }
    @Legal("HashSetElement")
    static void removedElsewhere() { Set<List<Integer>> s = new LinkedHashSet<>(); List<Integer> o = new ArrayList<>(); s.add(o); s.add(List.of(2)); Elsewhere.removeAll(s, List.of(o)); o.add(1); s.remove(o); }
    @Legal("HashSetElement")
    static void hashCodeIsCalledOnce() {
        int[] calls = {0};
        Object o = new Object() { @Override public int hashCode() { return calls[0]++ * 0; } };
        Set<Object> s = new HashSet<>();
        s.add(o);
        s.contains(o);
        if (calls[0] != 2) throw new AssertionError(calls[0]);
    }
    static Writer kept;
    @Legal("WriterUnflushed")
    static void keptAndClosedElsewhere() throws Exception { kept = new BufferedWriter(new StringWriter()); kept.write("kept"); Elsewhere.closeField(); }
    @Legal("WriterUnflushed")
    static void fourthArgument() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("kept"); Elsewhere.close(1, 2, 3, w); }
    @Legal("WriterUnflushed")
    static void closedInListElsewhere() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("kept"); List<Writer> all = new ArrayList<>(); all.add(w); Elsewhere.closeAll(all); }
    @Legal("WriterUnflushed")
    static void returnedElsewhere() throws Exception { Elsewhere.writeTo(() -> { Writer w = new BufferedWriter(new StringWriter()); w.write("header"); return w; }); }
    @Legal("WriterUnflushed")
    static void returnedAndClosed() throws Exception { try (Writer w = made()) { w.write("kept"); } }
    static Writer made() { return new BufferedWriter(new StringWriter()); }

    @Legal("WriterUnflushed")
    static void writtenNothing() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write(""); OutputStream o = new BufferedOutputStream(new ByteArrayOutputStream()); o.write(new byte[0]); o.write(new byte[3], 1, 0); }
    @Legal("WriterUnflushed")
    static void encodedNothing() throws Exception { Writer w = new OutputStreamWriter(new ByteArrayOutputStream()); w.append(""); }
    @Legal("WriterUnflushed")
    static void passedThrough() throws Exception { OutputStream o = new BufferedOutputStream(new ByteArrayOutputStream(), 4); o.write(new byte[100]); Writer w = new BufferedWriter(new StringWriter(), 4); w.write(new char[100]); }
    @Legal("WriterUnflushed")
    static void passedThroughWithTheRest() throws Exception { OutputStream o = new BufferedOutputStream(new ByteArrayOutputStream(), 4); o.write(1); o.write(new byte[100]); }

    @Legal("LockNeverReleased")
    static void heldByLivingThread() throws Exception { Lock l = new ReentrantLock(); CountDownLatch held = new CountDownLatch(1), over = new CountDownLatch(1); Thread t = new Thread(() -> { l.lock(); try { held.countDown(); over.await(); } catch (InterruptedException e) { } finally { l.unlock(); } }); t.start(); held.await(); l.tryLock(); over.countDown(); t.join(); l.lock(); l.lock(); l.unlock(); l.unlock(); }
    @Legal("LockNeverReleased")
    static void nobodyHolds() throws Exception { ReadWriteLock l = new ReentrantReadWriteLock(); inThread(() -> { l.writeLock().lock(); l.readLock().lock(); l.writeLock().unlock(); l.readLock().unlock(); }); l.readLock().lock(); l.readLock().unlock(); l.writeLock().lock(); l.writeLock().unlock(); class Own extends ReentrantLock { @Override public void lock() { } } Lock o = new Own(); inThread(o::lock); o.lock(); o.tryLock(); }

    static void inThread(Runnable body) throws InterruptedException {
        Thread thread = new Thread(body);
        thread.start();
        thread.join();
    }

    static Path file() throws IOException {
        Path path = Files.createTempFile("legal", ".txt");
        path.toFile().deleteOnExit();
        return path;
    }
}
