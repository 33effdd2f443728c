import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.*;
import java.text.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;
import javax.crypto.*;
import javax.crypto.spec.*;

/** Legal uses, as somebody wrote them who had read the properties and wanted them to be wrong. */
final class LegalAgain {
    static Path file() throws IOException { Path path = Files.createTempFile("again", ".txt"); path.toFile().deleteOnExit(); return Files.writeString(path, "one\ntwo\n"); }
    static void inThread(Runnable body) throws InterruptedException { Thread t = new Thread(body); t.start(); t.join(); }
    static void atOnce(Runnable a, Runnable b) throws Exception { CyclicBarrier both = new CyclicBarrier(2); Thread t = new Thread(() -> { try { both.await(); } catch (Exception e) { } a.run(); }); t.start(); both.await(); b.run(); t.join(); }
    static Date slowDate(CountDownLatch inside, CountDownLatch over) { return new Date() { @Override public long getTime() { inside.countDown(); try { over.await(); } catch (InterruptedException e) { throw new AssertionError(e); } return super.getTime(); } }; }

    static void clonedFormat() throws Exception {
        SimpleDateFormat f = new SimpleDateFormat("yyyy"); f.format(new Date());
        DateFormat g = (DateFormat) f.clone();
        CountDownLatch inside = new CountDownLatch(1), over = new CountDownLatch(1);
        Thread t = new Thread(() -> f.format(slowDate(inside, over))); t.start(); inside.await(); g.format(new Date()); over.countDown(); t.join();
    }
    static void clonedNumberFormat() throws Exception { DecimalFormat f = new DecimalFormat("0"); f.format(1); DecimalFormat g = (DecimalFormat) f.clone(); atOnce(() -> { for (int i = 0; i < 3000; i++) f.format(i); }, () -> { for (int i = 0; i < 3000; i++) g.format(i); }); }
    static void clonedDigest() throws Exception { MessageDigest f = MessageDigest.getInstance("SHA-256"); f.update((byte) 1); MessageDigest g = (MessageDigest) f.clone(); byte[] b = new byte[1 << 16]; atOnce(() -> { for (int i = 0; i < 200; i++) f.update(b); }, () -> { for (int i = 0; i < 200; i++) g.update(b); }); }
    static void formatPerThread() throws Exception { ThreadLocal<DateFormat> f = ThreadLocal.withInitial(() -> new SimpleDateFormat("yyyy")); atOnce(() -> { for (int i = 0; i < 300; i++) f.get().format(new Date()); }, () -> { for (int i = 0; i < 300; i++) f.get().format(new Date()); }); }
    static void formatBehindALock() throws Exception { DateFormat f = new SimpleDateFormat("yyyy"); Lock l = new ReentrantLock(); Runnable r = () -> { for (int i = 0; i < 300; i++) { l.lock(); try { f.format(new Date()); } finally { l.unlock(); } } }; atOnce(r, r); }
    static void dateTimeFormatter() throws Exception { java.time.format.DateTimeFormatter f = java.time.format.DateTimeFormatter.ISO_DATE; Runnable r = () -> { for (int i = 0; i < 300; i++) f.format(java.time.LocalDate.now()); }; atOnce(r, r); }
    static void nestedFormats() { MessageFormat f = new MessageFormat("{0,number} {1,date}"); f.format(new Object[] {1, new Date()}); f.format(new Object[] {2, new Date()}); }
    static void messageOfItself() { MessageFormat f = new MessageFormat("{0}"); f.format(new Object[] {new Object() { @Override public String toString() { return f.format(new Object[] {1}); } }}); f.format(new Object[] {2}); }
    static void formatHandedOver() throws Exception { DateFormat f = new SimpleDateFormat("yyyy"); Exchanger<DateFormat> x = new Exchanger<>(); Thread t = new Thread(() -> { try { x.exchange(null).format(new Date()); } catch (InterruptedException e) { } }); t.start(); f.format(new Date()); x.exchange(f); t.join(); }

    static void iterationInHeldElsewhere() { List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1, 2))); synchronized (l) { walk(l); } }
    static void walk(List<Integer> l) { for (int x : l) x++; l.stream().count(); l.listIterator().next(); }
    static void iterationInsideHashCode() { List<Object> l = Collections.synchronizedList(new ArrayList<>()); l.add(new Object() { @Override public int hashCode() { return 1; } @Override public boolean equals(Object o) { for (Object x : l) { } return false; } }); l.contains("x"); }
    static void iterationInsideSort() { List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(2, 1))); l.sort((a, b) -> { for (int x : new ArrayList<>(l)) { } return a - b; }); Collections.sort(l); }
    static void mapIterationInsideCompute() { Map<Integer, Integer> m = Collections.synchronizedMap(new HashMap<>(Map.of(1, 2))); m.computeIfPresent(1, (k, v) -> { int n = 0; for (int x : m.values()) n += x; return n; }); m.replaceAll((k, v) -> { for (int x : m.keySet()) x++; return v; }); }
    static void concurrentMapLoop() { Map<Integer, Integer> m = new ConcurrentHashMap<>(Map.of(1, 2)); for (int k : m.keySet()) m.remove(k); }
    static void viewForEach() { Map<Integer, Integer> m = Collections.synchronizedMap(new HashMap<>(Map.of(1, 2))); m.keySet().forEach(k -> { }); m.values().removeIf(v -> v > 9); m.entrySet().toArray(); new ArrayList<>(m.values()); }
    static void listCopied() { List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1))); for (int x : List.copyOf(l)) x++; for (Object x : l.toArray()) x.hashCode(); }
    static void monitorByMethod() throws Exception { class Holder { final List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1))); void go() { synchronized (l) { loop(); } } void loop() { for (int x : l) x++; } } new Holder().go(); }
    static void monitorWaited() throws Exception { List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1))); synchronized (l) { l.wait(1); for (int x : l) x++; } }

    static void elementChangedAndBack() { Set<List<Integer>> s = new HashSet<>(); List<Integer> o = new ArrayList<>(); s.add(o); o.add(1); o.clear(); s.contains(o); }
    static void equalTwins() { Set<List<Integer>> s = new HashSet<>(); List<Integer> a = new ArrayList<>(List.of(1)), b = new ArrayList<>(List.of(1)); s.add(a); s.add(b); s.remove(b); s.contains(a); s.add(b); s.contains(a); }
    static void clonedSet() { HashSet<Object> s = new HashSet<>(); Object o = new Object(); s.add(o); @SuppressWarnings("unchecked") Set<Object> t = (Set<Object>) s.clone(); t.remove(o); t.contains(o); s.contains(o); t.add(o); }
    static void setClearedAndFilled() { Set<Object> s = new LinkedHashSet<>(); Object o = new Object(); s.add(o); s.clear(); s.contains(o); s.add(o); s.removeIf(x -> true); s.contains(o); s.add(o); Iterator<Object> i = s.iterator(); i.next(); i.remove(); s.contains(o); s.add(o); s.retainAll(List.of()); s.contains(o); }
    static void identitySets() { Set<List<Integer>> s = Collections.newSetFromMap(new IdentityHashMap<>()); List<Integer> o = new ArrayList<>(); s.add(o); o.add(1); s.contains(o); }
    static void hashCodeFails() { Set<Object> s = new HashSet<>(); Object o = new Object(); s.add(o); try { s.add(new Object() { @Override public int hashCode() { throw new IllegalStateException(); } }); } catch (IllegalStateException e) { } s.remove(o); s.contains(o); }
    static void setOfNulls() { Set<Object> s = new HashSet<>(); s.add(null); s.add(null); s.remove(null); s.contains(null); s.add(null); }
    static void setsOfTwoThreads() throws Exception { Set<Object> s = new HashSet<>(); Object[] all = new Object[200]; Arrays.setAll(all, i -> new Object()); Runnable r = () -> { for (Object o : all) synchronized (s) { s.add(o); s.contains(o); s.remove(o); s.contains(o); } }; atOnce(r, r); }

    static void downgrade() throws Exception { ReentrantReadWriteLock l = new ReentrantReadWriteLock(); Runnable r = () -> { l.writeLock().lock(); l.readLock().lock(); l.writeLock().unlock(); l.readLock().unlock(); }; inThread(r); inThread(r); }
    static void conditionHandOver() throws Exception { Lock a = new ReentrantLock(), b = new ReentrantLock(); Condition c = a.newCondition(); inThread(() -> { a.lock(); try { c.awaitNanos(1000); b.lock(); b.unlock(); } catch (InterruptedException e) { } finally { a.unlock(); } }); inThread(() -> { a.lock(); b.lock(); b.unlock(); a.unlock(); }); }
    static void orderedByHash() throws Exception { Object a = new Object(), b = new Object(); Object x = System.identityHashCode(a) < System.identityHashCode(b) ? a : b, y = x == a ? b : a; inThread(() -> { synchronized (x) { synchronized (y) { } } }); inThread(() -> { synchronized (x) { synchronized (y) { } } }); }
    static void lockReleasedBeforeOther() throws Exception { Lock a = new ReentrantLock(), b = new ReentrantLock(); inThread(() -> { a.lock(); a.unlock(); b.lock(); b.unlock(); }); inThread(() -> { b.lock(); b.unlock(); a.lock(); a.unlock(); }); }
    static void reentrant() throws Exception { Lock a = new ReentrantLock(), b = new ReentrantLock(); Runnable r = () -> { a.lock(); b.lock(); a.lock(); b.lock(); b.unlock(); a.unlock(); b.unlock(); a.unlock(); }; inThread(r); inThread(r); }
    static void timedTry() throws Exception { Lock a = new ReentrantLock(), b = new ReentrantLock(); inThread(() -> { try { a.lock(); if (b.tryLock(1, TimeUnit.SECONDS)) b.unlock(); a.unlock(); } catch (InterruptedException e) { } }); inThread(() -> { try { b.lock(); if (a.tryLock(1, TimeUnit.SECONDS)) a.unlock(); b.unlock(); } catch (InterruptedException e) { } }); }
    static void readInsideRead() throws Exception { ReentrantReadWriteLock a = new ReentrantReadWriteLock(), b = new ReentrantReadWriteLock(); Lock c = a.readLock(), d = b.readLock(); inThread(() -> { c.lock(); try { d.lock(); d.unlock(); } finally { c.unlock(); } }); inThread(() -> { d.lock(); try { c.lock(); c.unlock(); } finally { d.unlock(); } }); }
    static void ownReadLocks() throws Exception { class Shared implements Lock { final Lock r = new ReentrantReadWriteLock().readLock(); public void lock() { r.lock(); } public void lockInterruptibly() { } public boolean tryLock() { return r.tryLock(); } public boolean tryLock(long n, TimeUnit u) { return r.tryLock(); } public void unlock() { r.unlock(); } public Condition newCondition() { return null; } } Lock a = new Shared(), b = new Shared(); inThread(() -> { a.lock(); b.lock(); b.unlock(); a.unlock(); }); inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); }); }
    static void ownCompatibleLocks() throws Exception { class Never implements Lock { public void lock() { } public void lockInterruptibly() { } public boolean tryLock() { return true; } public boolean tryLock(long n, TimeUnit u) { return true; } public void unlock() { } public Condition newCondition() { return null; } } Lock a = new Never(), b = new Never(); inThread(() -> { a.lock(); b.lock(); b.unlock(); a.unlock(); }); inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); }); }
    static void stampedRead() throws Exception { StampedLock a = new StampedLock(), b = new StampedLock(); inThread(() -> { long s = a.readLock(), t = b.readLock(); b.unlockRead(t); a.unlockRead(s); }); inThread(() -> { long s = b.readLock(), t = a.readLock(); a.unlockRead(t); b.unlockRead(s); }); }
    static void stampedViews() throws Exception { ReadWriteLock a = new StampedLock().asReadWriteLock(), b = new StampedLock().asReadWriteLock(); inThread(() -> { a.readLock().lock(); b.readLock().lock(); b.readLock().unlock(); a.readLock().unlock(); }); inThread(() -> { b.readLock().lock(); a.readLock().lock(); a.readLock().unlock(); b.readLock().unlock(); }); }

    static void bufferDuplicate() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putInt(1); ByteBuffer d = b.duplicate(); d.flip(); c.write(d); } }
    static void bufferRewindChain() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { c.write(ByteBuffer.allocate(8).putInt(1).flip()); ByteBuffer b = ByteBuffer.allocate(8).put(new byte[3]); b.rewind(); c.write(b); } }
    static void bufferMarkReset() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.mark(); b.putInt(1); b.limit(b.position()); b.reset(); c.write(b); } }
    static void bufferCompacted() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putLong(1).flip(); while (b.hasRemaining()) { c.write(b); b.compact(); b.flip(); } } }
    static void bufferFlippedByHelper() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putLong(1); ready(b); c.write(b); } }
    static void ready(Object b) { ((ByteBuffer) b).flip(); }
    static void bufferInObject() throws Exception { class Message { final ByteBuffer b = ByteBuffer.allocate(8); void put() { b.putInt(1); } void turn() { b.flip(); } } try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { Message m = new Message(); m.put(); m.turn(); c.write(m.b); } }

    static void writerInOptional() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); Optional.of(w).ifPresent(x -> { try { x.close(); } catch (IOException e) { } }); }
    static void writerAsObject() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); Object o = w; ((Closeable) o).close(); }
    static void writerInRecord() throws Exception { record Out(Writer w, int n) implements Closeable { public void close() throws IOException { w.close(); } } Out o = new Out(new BufferedWriter(new StringWriter()), 1); o.w().write("x"); o.close(); }
    static void writerInLambda() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); Callable<Void> c = () -> { w.flush(); return null; }; c.call(); }
    static void writerByReference() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); Closeable c = w::close; c.close(); }
    static void printerOverWriter() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); PrintWriter p = new PrintWriter(w); p.print(1); p.close(); }
    static void gzipFinished() throws Exception { GZIPOutputStream g = new GZIPOutputStream(new ByteArrayOutputStream()); g.write(1); g.finish(); }
    static void tryWithTwo() throws Exception { try (OutputStream a = Files.newOutputStream(file()); BufferedOutputStream b = new BufferedOutputStream(a)) { b.write(1); } }
    static void bufferedOfBuffered() throws Exception { BufferedOutputStream a = new BufferedOutputStream(new ByteArrayOutputStream()); BufferedOutputStream b = new BufferedOutputStream(a); b.write(1); b.flush(); }
    static void zipClosedByWrapper() throws Exception { ZipOutputStream z = new ZipOutputStream(new ByteArrayOutputStream()); z.putNextEntry(new ZipEntry("a")); try (BufferedOutputStream b = new BufferedOutputStream(z)) { b.write(1); } }
    static void objectOutputFlushed() throws Exception { BufferedOutputStream b = new BufferedOutputStream(new ByteArrayOutputStream()); ObjectOutputStream o = new ObjectOutputStream(b); o.writeObject("x"); o.flush(); }

    static void ownThreadRun() { class Work extends Thread { @Override public void run() { super.run(); } } new Work().start(); }
    static void threadAsRunnable() throws Exception { Thread inner = new Thread(() -> { }); Thread t = new Thread(inner); t.start(); t.join(); }
    static void transactionsInTurn() throws Exception { try (java.sql.Connection c = Jdbc.connection()) { c.setAutoCommit(false); for (int i = 0; i < 3; i++) { c.createStatement().executeUpdate("insert into t values (1)"); c.commit(); } c.setAutoCommit(true); c.createStatement().executeUpdate("insert into t values (1)"); } }
    static void transactionToSavepoint() throws Exception { try (java.sql.Connection c = Jdbc.connection()) { c.setAutoCommit(false); java.sql.PreparedStatement s = c.prepareStatement("insert into t values (?)"); s.addBatch(); s.executeBatch(); c.rollback(c.setSavepoint()); c.commit(); } }
    static void executorPolicy() { ThreadPoolExecutor e = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new ThreadPoolExecutor.DiscardPolicy()); e.shutdown(); e.execute(() -> { }); }
    static void commonPoolShutdown() { ForkJoinPool.commonPool().shutdown(); ForkJoinPool.commonPool().submit(() -> { }).join(); }

    @Legal("CharsetCoder")
    static void coderInOrder() { CharsetEncoder e = StandardCharsets.UTF_8.newEncoder(); ByteBuffer out = ByteBuffer.allocate(9); e.reset(); e.encode(CharBuffer.wrap("a"), out, false); e.encode(CharBuffer.wrap("b"), out, true); e.flush(out); }
    @Legal("CharsetCoder")
    static void coderTwice() throws Exception { CharsetDecoder d = StandardCharsets.UTF_8.newDecoder(); d.decode(ByteBuffer.wrap(new byte[] {65})); d.decode(ByteBuffer.wrap(new byte[] {66})); CharBuffer out = CharBuffer.allocate(3); d.reset(); d.decode(ByteBuffer.wrap(new byte[] {67}), out, true); d.flush(out); try { d.decode(ByteBuffer.wrap(new byte[] {-1})); } catch (CharacterCodingException e) { d.reset(); } }
}
