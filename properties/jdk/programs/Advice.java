import java.io.*;
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
    @Found("SynchronizedMapIteration")
    static void mapViewWithoutMonitor() { Map<String, String> m = Collections.synchronizedMap(new HashMap<>(Map.of("a", "b"))); for (String s : m.keySet()) s.length(); }
    @Found("SynchronizedMapIteration")
    static void mapViewWithItsOwnMonitor() { Map<String, String> m = Collections.synchronizedMap(new TreeMap<>(Map.of("a", "b"))); Collection<String> v = m.values(); synchronized (v) { for (String s : v) s.length(); } }
    @Found("BufferNotFlipped")
    static void writtenWithoutFlip() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putInt(1); c.write(b); } }
    @Found("BufferNotFlipped")
    static void filledAgain() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.put((byte) 1); b.flip(); c.write(b); b.clear(); b.put(new byte[3]); c.write(b); } }
    @Found("NeverClosed, WriterUnflushed")
    static void bufferedNeverFlushed() throws Exception { BufferedWriter w = new BufferedWriter(new FileWriter(file().toFile())); w.write("lost"); }
    @Found("NeverClosed, WriterUnflushed")
    static void flushedTooEarly() throws Exception { OutputStreamWriter w = new OutputStreamWriter(Files.newOutputStream(file())); w.write("kept"); w.flush(); w.append("lost"); }
    @Found("NeverClosed, WriterUnflushed")
    static void archiveNeverFinished() throws Exception { OutputStream o = new GZIPOutputStream(Files.newOutputStream(file())); o.write(1); o.flush(); }
    @Found("JdbcTransactionOpen")
    static void closedWithoutCommit() throws Exception { Connection c = Jdbc.connection(); c.setAutoCommit(false); c.createStatement().executeUpdate("insert into t values (1)"); c.close(); }
    @Found("JdbcTransactionOpen")
    static void secondTransaction() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); c.prepareStatement("update t set a = 1").executeUpdate(); c.commit(); c.prepareStatement("delete from t").execute(); } }
    @Found("LockOrder")
    static void twoLocks() throws Exception {
        Object a = new Object(), b = new Object();
        inThread(() -> { synchronized (a) { synchronized (b) { } } });
        inThread(() -> { synchronized (b) { synchronized (a) { } } });
    }
    @Found("LockOrder")
    static void threeLocks() throws Exception {
        Lock a = new ReentrantLock(), b = new ReentrantLock();
        Object c = new Object();
        inThread(() -> { a.lock(); b.lock(); b.unlock(); a.unlock(); });
        inThread(() -> { b.lock(); synchronized (c) { b.unlock(); } });
        inThread(() -> { synchronized (c) { a.lock(); a.unlock(); } });
    }
    @Found("LockOrder")
    static void gateOnOneSideOnly() throws Exception {
        Object a = new Object(), b = new Object(), gate = new Object();
        inThread(() -> { synchronized (gate) { synchronized (a) { synchronized (b) { } } } });
        inThread(() -> { synchronized (b) { synchronized (a) { } } });
    }
    @Found("JdbcTransactionOpen")
    static void batchNotCommitted() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); Statement s = c.createStatement(); s.addBatch("insert into t values (1)"); s.executeBatch(); } }
    @Found("JdbcTransactionOpen")
    static void changedAfterCommitAsSql() throws Exception { try (Connection c = Jdbc.connection()) { c.setAutoCommit(false); Statement s = c.createStatement(); s.execute("insert into t values (1)"); s.execute("commit"); s.execute("  insert into t values (2)"); } }
    @Found("HashSetElement")
    static void changedInSetThatGrew() { Set<List<String>> s = new HashSet<>(); List<String> l = new ArrayList<>(); s.add(l); s.addAll(List.of(List.of("b"), List.of("c"))); s.add(List.of("d")); l.add("a"); s.contains(l); }
    @Found("HashSetElement")
    static void addedTwice() { Set<List<String>> s = new HashSet<>(); List<String> l = new ArrayList<>(); s.add(l); l.add("a"); s.add(l); }
    @Found("LockOrder")
    static void triedBetween() throws Exception {
        Lock a = new ReentrantLock(), b = new ReentrantLock();
        inThread(() -> { a.lock(); if (a.tryLock()) a.unlock(); b.lock(); b.unlock(); a.unlock(); });
        inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); });
    }
    @Found("LockOrder")
    static void triedOutside() throws Exception {
        Lock a = new ReentrantLock(), b = new ReentrantLock();
        inThread(() -> { if (a.tryLock()) { b.lock(); b.unlock(); a.unlock(); } });
        inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); });
    }
    @Found("LockOrder")
    static void withoutGateLater() throws Exception {
        Object a = new Object(), b = new Object(), gate = new Object();
        inThread(() -> { synchronized (gate) { synchronized (a) { synchronized (b) { } } } synchronized (a) { synchronized (b) { } } });
        inThread(() -> { synchronized (gate) { synchronized (b) { synchronized (a) { } } } });
    }
    @Found("LockOrder")
    static void insideOfReadLocks() throws Exception {
        ReadWriteLock gate = new ReentrantReadWriteLock();
        Lock a = new ReentrantLock(), b = new ReentrantReadWriteLock().writeLock();
        inThread(() -> { gate.readLock().lock(); a.lock(); b.lock(); b.unlock(); a.unlock(); gate.readLock().unlock(); });
        inThread(() -> { gate.readLock().lock(); b.lock(); a.lock(); a.unlock(); b.unlock(); gate.readLock().unlock(); });
    }
    @Found("FormatShared")
    static void dateFormatShared() throws Exception {
        CountDownLatch inside = new CountDownLatch(1), over = new CountDownLatch(1);
        DateFormat f = new SimpleDateFormat("yyyy");
        Date slow = new Date() {
            @Override public long getTime() {
                inside.countDown();
                try { over.await(); } catch (InterruptedException e) { throw new AssertionError(e); }
                return super.getTime();
            }
        };
        Thread other = new Thread(() -> f.format(slow));
        other.start();
        inside.await();
        f.setTimeZone(TimeZone.getDefault());
        over.countDown();
        other.join();
    }

    @Found("WriterUnflushed")
    static void encodedNeverFlushed() throws Exception { Writer w = new OutputStreamWriter(new ByteArrayOutputStream()); w.write("lost"); }
    @Found("WriterUnflushed")
    static void restAfterPassing() throws Exception { OutputStream o = new BufferedOutputStream(new ByteArrayOutputStream(), 4); o.write(new byte[100]); o.write(1); }

    @Found("LockNeverReleased")
    static void lockLeftByThread() throws Exception { Lock l = new ReentrantLock(); inThread(l::lock); l.tryLock(); }
    @Found("LockNeverReleased")
    static void writeLockLeftByThread() throws Exception { ReadWriteLock l = new ReentrantReadWriteLock(); inThread(() -> { l.writeLock().lock(); if (l.toString().isEmpty()) l.writeLock().unlock(); }); l.readLock().tryLock(); }
    @Found("LockNeverReleased")
    static void lockLeftByException() throws Exception { ReentrantLock l = new ReentrantLock(); Thread t = new Thread(() -> { l.lock(); Integer.parseInt("x"); l.unlock(); }); t.setUncaughtExceptionHandler((x, e) -> { }); t.start(); t.join(); l.tryLock(1, TimeUnit.MILLISECONDS); }

    static void inThread(Runnable body) throws InterruptedException {
        Thread thread = new Thread(body);
        thread.start();
        thread.join();
    }

    static Path file() throws IOException {
        Path path = Files.createTempFile("advice", ".txt");
        path.toFile().deleteOnExit();
        return path;
    }
}
