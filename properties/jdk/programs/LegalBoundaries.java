import java.io.*;
import java.lang.reflect.Proxy;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.*;
import java.sql.*;
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

/** Uses at the edges of what the documentation allows: nothing in them, nobody there, in the middle, by others. */
final class LegalBoundaries {
    static Path file() throws IOException {
        Path path = Files.createTempFile("edges", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "one\ntwo\nthree\n");
    }

    static InetAddress here() { return InetAddress.getLoopbackAddress(); }

    static void inThread(Runnable body) throws InterruptedException { Thread thread = new Thread(body); thread.start(); thread.join(); }

    /** A list of the program, without a count of changes. */
    static class Plain<T> extends AbstractList<T> {
        final List<T> kept = new ArrayList<>();
        @Override public T get(int i) { return kept.get(i); }
        @Override public int size() { return kept.size(); }
        @Override public void add(int i, T x) { kept.add(i, x); }
        @Override public T remove(int i) { return kept.remove(i); }
        @Override public T set(int i, T x) { return kept.set(i, x); }
    }

    /** A stream whose `close` only rewinds. */
    static class Rewinding extends FilterInputStream {
        Rewinding(InputStream in) { super(in); in.mark(99); }
        @Override public void close() throws IOException { in.reset(); }
    }

    // Nothing in them.
    @Legal("IteratorComodification")
    static void emptyLoops() { for (Collection<Integer> c : List.of(new ArrayList<Integer>(), new LinkedList<Integer>(), new TreeSet<Integer>(), new ArrayDeque<Integer>())) { for (int x : c) c.add(x); c.clear(); for (int x : c) c.remove(x); } }
    @Legal("IteratorComodification")
    static void clearedWhileEmpty() { List<Integer> l = new ArrayList<>(); Iterator<Integer> i = l.iterator(); l.removeIf(x -> true); l.addAll(List.of()); if (i.hasNext()) i.next(); }
    @Legal("MapViewComodification")
    static void emptyMapLoop() { Map<Integer, Integer> m = new HashMap<>(); for (int k : m.keySet()) m.put(k + 1, 1); m.put(1, 1); for (int k : m.keySet()) m.put(k, 2); }
    @Legal("TraversalComodification")
    static void emptyForEach() { List<Integer> l = new ArrayList<>(); l.forEach(l::add); l.replaceAll(x -> { l.add(x); return x; }); l.sort((a, b) -> { l.add(a); return 0; }); l.stream().forEach(l::add); }
    @Legal("ImmutableCollection")
    static void noChangeOfEmpty() { Collections.emptyList().clear(); Collections.emptyList().addAll(List.of()); Collections.emptyMap().clear(); Collections.emptyList().sort(null); Collections.emptySet().removeIf(x -> true); }
    @Legal("ImmutableCollection")
    static void noChangeOfFixed() { List<Integer> l = Arrays.asList(1, 2); l.addAll(List.of()); l.removeAll(List.of(9)); l.retainAll(List.of(1, 2)); l.removeIf(x -> x > 9); l.set(0, 3); l.sort(null); l.replaceAll(x -> x + 1); }
    @Legal("CollectionEmpty")
    static void askedFirst() { Deque<Integer> d = new ArrayDeque<>(); d.poll(); d.peek(); d.pollFirst(); d.pollLast(); d.peekLast(); new TreeSet<Integer>().pollFirst(); new TreeMap<Integer, Integer>().firstEntry(); new TreeMap<Integer, Integer>().floorKey(1); d.removeFirstOccurrence(1); d.remove(1); }
    @Legal("QueueFull")
    static void offeredToFull() { BlockingQueue<Integer> q = new ArrayBlockingQueue<>(1); q.add(1); q.offer(2); q.poll(); q.add(3); q.remove(3); q.addAll(List.of(1)); q.addAll(List.of()); }
    @Legal("QueueFull, CollectionEmpty")
    static void refilled() { Deque<Integer> d = new LinkedBlockingDeque<>(2); for (int i = 0; i < 9; i++) { d.addLast(i); d.push(i); d.pop(); d.removeLast(); } }
    @Legal("IteratorExhausted")
    static void exactlyAll() { Iterator<Integer> i = List.of(1, 2).iterator(); i.next(); i.next(); if (i.hasNext()) throw new AssertionError(); PrimitiveIterator.OfInt p = IntStream.range(0, 2).iterator(); p.nextInt(); p.next(); p.forEachRemaining((int x) -> { }); }
    @Legal("EnumerationExhausted")
    static void noTokens() { StringTokenizer t = new StringTokenizer("", ","); if (t.hasMoreTokens() || t.countTokens() != 0) throw new AssertionError(); Enumeration<Integer> e = Collections.emptyEnumeration(); while (e.hasMoreElements()) e.nextElement(); e.asIterator().forEachRemaining(x -> { }); }
    @Legal("ScannerExhausted, ScannerClosed")
    static void scannedNothing() { Scanner s = new Scanner(""); while (s.hasNextLine()) s.nextLine(); s.tokens().count(); s.close(); s.close(); if (s.ioException() != null) throw new AssertionError(); s.delimiter(); s.locale(); s.radix(); }
    @Legal("OptionalGet")
    static void emptyOptional() { Optional<Integer> o = Optional.empty(); o.ifPresent(x -> { }); o.orElse(1); o.orElseGet(() -> 1); o.map(x -> x + 1).or(() -> Optional.of(1)).get(); OptionalInt.empty().orElse(1); OptionalDouble.empty().ifPresentOrElse(x -> { }, () -> { }); }
    @Legal("BufferMisused")
    static void zeroBuffer() { ByteBuffer b = ByteBuffer.allocate(0); b.put(new byte[0]); b.get(new byte[0]); b.flip(); b.mark(); b.reset(); b.compact(); b.duplicate().clear(); CharBuffer.wrap("").get(new char[0]); b.asReadOnlyBuffer().get(new byte[0]); b.put(ByteBuffer.allocate(0)); }
    @Legal("BufferMisused")
    static void exactBuffer() { ByteBuffer b = ByteBuffer.allocate(8); b.putLong(1); b.flip(); b.getInt(); b.getInt(); b.rewind(); b.mark(); b.getLong(); b.reset(); if (b.remaining() != 8) throw new AssertionError(); b.get(7); b.limit(4); b.position(4); b.compact(); }
    @Legal("InputStreamClosed, MarkReset")
    static void readNothing() throws IOException { InputStream in = new FileInputStream(file().toFile()); in.read(new byte[0]); in.skip(0); in.readNBytes(0); in.close(); in.close(); if (in.markSupported()) in.reset(); }
    @Legal("OutputStreamClosed, WriterClosed")
    static void closedTwice() throws IOException { OutputStream o = new BufferedOutputStream(new FileOutputStream(file().toFile())); o.close(); o.close(); Writer w = new FileWriter(file().toFile()); w.close(); w.close(); new PrintWriter(o).close(); }
    @Legal("ZipEntryOpen, ZipFileClosed")
    static void emptyArchive() throws IOException { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (ZipOutputStream z = new ZipOutputStream(b)) { z.setComment(""); } try (ZipOutputStream z = new ZipOutputStream(b)) { z.putNextEntry(new ZipEntry("a/")); z.closeEntry(); z.closeEntry(); } }
    @Legal("DeflaterEnded")
    static void endedTwice() { Deflater d = new Deflater(); d.setInput(new byte[0]); d.finish(); d.deflate(new byte[9]); d.end(); d.end(); }
    @Legal("MatcherMatch")
    static void emptyMatch() { Matcher m = Pattern.compile("").matcher(""); if (!m.find()) throw new AssertionError(); m.start(); m.end(); m.group(); if (!m.matches()) throw new AssertionError(); m.group(0); m.toMatchResult().start(); Matcher n = Pattern.compile("x").matcher("y"); n.find(); n.toMatchResult(); n.hitEnd(); n.groupCount(); n.replaceAll("z"); n.appendTail(new StringBuilder()); }
    @Legal("StreamReused")
    static void emptyStreams() { Supplier<Stream<Integer>> s = Stream::empty; s.get().count(); s.get().findFirst(); try (Stream<Integer> t = s.get()) { t.close(); } Stream.concat(Stream.empty(), Stream.empty()).iterator().hasNext(); IntStream.empty().max(); }
    @Legal("BuilderMisused")
    static void emptyBuilders() { Stream.builder().build().count(); IntStream.builder().add(1).add(2).build().sum(); new Calendar.Builder().build(); new Calendar.Builder().setInstant(1).setInstant(2).build(); new Calendar.Builder().setDate(2000, 1, 1).setTimeOfDay(1, 1, 1).setDate(2001, 1, 1).build(); }
    @Legal("PhaserParties")
    static void emptyPhaser() { Phaser p = new Phaser(); p.register(); p.arriveAndDeregister(); p.arrive(); p.register(); p.bulkRegister(0); }
    @Legal("CipherInit, MacInit, SignatureInit")
    static void noBytes() throws Exception { Mac m = Mac.getInstance("HmacSHA256"); m.init(new SecretKeySpec(new byte[1], "x")); m.update(new byte[0]); m.doFinal(); m.doFinal(); m.reset(); m.update((byte) 1); Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES")); c.update(new byte[0]); c.doFinal(); c.doFinal(new byte[3]); c.getOutputSize(0); }
    @Legal("CharsetCoder")
    static void noCharacters() throws CharacterCodingException { CharsetEncoder e = StandardCharsets.UTF_8.newEncoder(); e.encode(CharBuffer.allocate(0)); e.canEncode("x"); e.encode(CharBuffer.wrap("a")); e.reset(); e.encode(CharBuffer.allocate(0), ByteBuffer.allocate(9), true); e.flush(ByteBuffer.allocate(9)); e.flush(ByteBuffer.allocate(9)); e.reset(); e.canEncode('x'); }
    @Legal("FormatterClosed")
    static void formattedNothing() { Formatter f = new Formatter(new StringBuilder()); f.flush(); f.format(""); f.close(); f.close(); if (f.ioException() != null) throw new AssertionError(); }

    // Exceptions in the middle of an operation.
    @Legal("TraversalComodification")
    static void loopLeftByException() { List<Integer> l = new ArrayList<>(List.of(1, 2)); try { l.forEach(x -> { l.add(1); throw new IllegalStateException("mine"); }); } catch (IllegalStateException e) { } l.forEach(x -> { }); }
    @Legal("IteratorComodification, IteratorExhausted")
    static void nextLeftByException() { Iterator<Integer> i = Stream.of(1, 2).map(x -> { if (x == 1) throw new NoSuchElementException("mine"); return x; }).iterator(); try { i.next(); } catch (NoSuchElementException e) { } }
    @Legal("LockUnlock")
    static void unlockAfterException() { Lock l = new ReentrantLock(); l.lock(); try { l.newCondition(); throw new RuntimeException(); } catch (RuntimeException e) { } finally { l.unlock(); } if (!l.tryLock()) throw new AssertionError(); l.unlock(); }
    @Legal("LockUnlock, ConditionLock")
    static void interruptedWait() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); l.lock(); try { Thread.currentThread().interrupt(); c.await(); throw new AssertionError(); } catch (InterruptedException e) { if (!l.isHeldByCurrentThread()) throw new AssertionError(); c.signal(); } finally { l.unlock(); } }
    @Legal("LockUnlock")
    static void interruptedLock() { Lock l = new ReentrantLock(); Thread.currentThread().interrupt(); try { l.lockInterruptibly(); throw new AssertionError(); } catch (InterruptedException e) { } l.lock(); l.unlock(); }
    @Legal("WaitNotify")
    static void interruptedMonitor() { Object o = new Object(); synchronized (o) { Thread.currentThread().interrupt(); try { o.wait(); throw new AssertionError(); } catch (InterruptedException e) { o.notifyAll(); } } }
    @Legal("ChannelClosed")
    static void interruptedChannel() throws Exception { ServerSocketChannel l = ServerSocketChannel.open().bind(new InetSocketAddress(here(), 0)); Thread.currentThread().interrupt(); try { l.accept(); throw new AssertionError(); } catch (ClosedByInterruptException e) { Thread.interrupted(); } if (l.isOpen()) throw new AssertionError(); l.close(); }
    @Legal("InputStreamClosed")
    static void failedOpen() throws IOException { try { new GZIPInputStream(new ByteArrayInputStream(new byte[3])); } catch (IOException e) { } try { new ObjectInputStream(new ByteArrayInputStream(new byte[0])); } catch (EOFException e) { } try { new FileInputStream("/nowhere/at/all"); } catch (FileNotFoundException e) { } }
    @Legal("CipherInit")
    static void badPadding() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); SecretKey k = new SecretKeySpec(new byte[16], "AES"); c.init(Cipher.DECRYPT_MODE, k, new IvParameterSpec(new byte[16])); try { c.doFinal(new byte[16]); } catch (BadPaddingException e) { } c.init(Cipher.DECRYPT_MODE, k, new IvParameterSpec(new byte[16])); c.update(new byte[16]); }
    @Legal("ObjectStreamInactive")
    static void readObjectOfItsOwn() throws Exception { class Kept implements Serializable { private void writeObject(ObjectOutputStream o) throws IOException { o.defaultWriteObject(); o.putFields(); } private void readObject(ObjectInputStream i) throws Exception { i.defaultReadObject(); i.registerValidation(() -> { }, 1); } } ByteArrayOutputStream b = new ByteArrayOutputStream(); ObjectOutputStream o = new ObjectOutputStream(b); o.useProtocolVersion(ObjectStreamConstants.PROTOCOL_VERSION_2); o.writeObject(List.of(1)); ObjectInputStream i = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray())); i.setObjectInputFilter(x -> ObjectInputFilter.Status.ALLOWED); i.readObject(); }
    @Legal("TimerCancelled, TimerTaskRescheduled")
    static void timers() throws Exception { Timer t = new Timer(true); CountDownLatch l = new CountDownLatch(1); TimerTask task = new TimerTask() { @Override public void run() { l.countDown(); cancel(); } }; t.schedule(task, 0); l.await(); task.cancel(); t.purge(); t.cancel(); t.cancel(); }
    @Legal("TimerCancelled")
    static void cancelledByItsTask() throws Exception { Timer t = new Timer(); CountDownLatch l = new CountDownLatch(1); t.schedule(new TimerTask() { @Override public void run() { t.cancel(); l.countDown(); } }, 0, 1000); l.await(); }
    @Legal("CauseSetTwice")
    static void causes() { Exception e = new Exception("a"); e.initCause(new Error()); if (e.getCause() == null) throw new AssertionError(); new Exception("b").initCause(null); new Exception().fillInStackTrace(); e.addSuppressed(new Error()); }

    // Subclasses, wrappers, decorators.
    @Legal("IteratorComodification")
    static void uncountedList() { List<Integer> l = new Plain<>(); l.add(1); l.add(2); for (int x : l) if (l.size() < 9) l.add(x); l.listIterator().add(3); l.subList(0, 1).clear(); }
    @Legal("IteratorComodification, MapViewComodification")
    static void uncountedMap() { Map<Integer, Integer> kept = new ConcurrentHashMap<>(Map.of(1, 1, 2, 2)); Map<Integer, Integer> m = new AbstractMap<>() { @Override public Set<Entry<Integer, Integer>> entrySet() { return kept.entrySet(); } @Override public Integer put(Integer k, Integer v) { return kept.put(k, v); } }; for (int k : m.keySet()) m.put(k + 10 > 30 ? k : k + 10, 1); m.values().removeIf(x -> true); }
    @Legal("ImmutableCollection")
    static void partlyChangeable() { List<Integer> l = new AbstractList<>() { int x = 1; @Override public Integer get(int i) { return x; } @Override public int size() { return 1; } @Override public Integer set(int i, Integer v) { int o = x; x = v; return o; } }; l.set(0, 2); l.replaceAll(x -> x + 1); l.sort(null); Collections.reverse(l); }
    @Legal("InputStreamClosed")
    static void rewoundByClose() throws IOException { InputStream in = new Rewinding(new ByteArrayInputStream(new byte[9])); in.read(); in.close(); in.read(); in.close(); if (in.available() != 9) throw new AssertionError(); }
    @Legal("InputStreamClosed")
    static void twoViewsOfOneFile() throws IOException { Path p = file(); InputStream a = Files.newInputStream(p), b = Files.newInputStream(p); a.close(); b.read(); b.close(); }
    @Legal("OutputStreamClosed")
    static void closeIsIgnored() throws IOException { OutputStream o = new FilterOutputStream(new ByteArrayOutputStream()) { @Override public void close() { } }; o.close(); o.write(1); o.flush(); o.close(); ByteArrayOutputStream b = new ByteArrayOutputStream(); b.close(); b.write(1); PrintStream p = new PrintStream(b); p.close(); p.println(1); if (!p.checkError()) throw new AssertionError(); }
    @Legal("WriterClosed, ReaderClosed")
    static void memoryWriters() throws IOException { StringWriter s = new StringWriter(); s.close(); s.write("a"); CharArrayWriter c = new CharArrayWriter(); c.close(); c.write(1); c.flush(); PrintWriter p = new PrintWriter(s); p.close(); p.print(1); p.checkError(); Writer.nullWriter().write(1); }
    @Legal("ReaderClosed")
    static void reopenedReader() throws IOException { class Again extends StringReader { Again() { super("ab"); } @Override public void close() { try { reset(); } catch (IOException e) { throw new UncheckedIOException(e); } } } Reader r = new Again(); r.read(); r.close(); r.read(); r.close(); r.ready(); }
    @Legal("LockUnlock, LockOrder")
    static void delegatingLock() { Lock inner = new ReentrantLock(); class Logged implements Lock { @Override public void lock() { inner.lock(); } @Override public void lockInterruptibly() { inner.lock(); } @Override public boolean tryLock() { return inner.tryLock(); } @Override public boolean tryLock(long t, TimeUnit u) { return inner.tryLock(); } @Override public void unlock() { inner.unlock(); } @Override public Condition newCondition() { return inner.newCondition(); } } Lock l = new Logged(); l.lock(); l.lock(); l.unlock(); l.unlock(); }
    @Legal("ThreadRunCalled")
    static void runnableRun() throws Exception { new FutureTask<>(() -> 1).run(); Runnable r = () -> { }; r.run(); inThread(new FutureTask<>(() -> 1)); }
    @Legal("ThreadStartedTwice, ThreadConfiguredLate")
    static void manyThreads() throws Exception { for (int i = 0; i < 3; i++) { Thread t = new Thread(() -> { }); t.setDaemon(true); t.setName("x"); t.setPriority(5); t.start(); t.setName("y"); t.setPriority(4); t.join(); t.setName("z"); t.interrupt(); } }
    @Legal("CollectionEmpty")
    static void overridingQueue() { Deque<Integer> d = new ArrayDeque<>() { @Override public Integer pop() { return isEmpty() ? 0 : super.pop(); } @Override public Integer removeFirst() { return isEmpty() ? 0 : super.removeFirst(); } }; d.pop(); d.removeFirst(); d.push(1); d.pop(); }
    @Legal("OptionalGet")
    static void presentInTheEnd() { if (Stream.of(1, 2, 3).filter(x -> x > 2).findFirst().get() != 3) throw new AssertionError(); IntStream.of(1).average().orElseThrow(); }
    @Legal("IteratorRemove")
    static void removeTheSameAgain() { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); ListIterator<Integer> i = l.listIterator(); i.next(); i.set(5); i.set(6); i.remove(); i.add(7); i.next(); i.remove(); i.previous(); i.remove(); Iterator<Integer> j = new PriorityQueue<>(l).iterator(); while (j.hasNext()) { j.next(); j.remove(); } }
    @Legal("IteratorComodification")
    static void ownRemovals() { for (Collection<Integer> c : List.of(new ArrayList<>(List.of(1, 2)), new LinkedList<>(List.of(1, 2)), new HashSet<>(List.of(1, 2)), new LinkedHashSet<>(List.of(1, 2)), new TreeSet<>(List.of(1, 2)), new ArrayDeque<>(List.of(1, 2)), new PriorityQueue<>(List.of(1, 2)), new Vector<>(List.of(1, 2)))) { for (Iterator<Integer> i = c.iterator(); i.hasNext(); ) { i.next(); i.remove(); } if (!c.isEmpty()) throw new AssertionError(); } }
    @Legal("MapViewComodification")
    static void valuesPreserved() { for (Map<Integer, Integer> m : List.of(new HashMap<>(Map.of(1, 1, 2, 2)), new LinkedHashMap<>(Map.of(1, 1, 2, 2)), new TreeMap<>(Map.of(1, 1, 2, 2)), new Hashtable<>(Map.of(1, 1, 2, 2)))) { for (Map.Entry<Integer, Integer> e : m.entrySet()) { m.put(e.getKey(), 5); m.replace(e.getKey(), 6); m.merge(e.getKey(), 1, Integer::sum); e.setValue(7); m.computeIfPresent(e.getKey(), (k, v) -> v + 1); m.computeIfAbsent(e.getKey(), k -> 1); m.putIfAbsent(e.getKey(), 1); m.getOrDefault(9, 1); } for (Iterator<Integer> i = m.values().iterator(); i.hasNext(); ) { i.next(); i.remove(); } } }
    @Legal("IteratorComodification, MapViewComodification")
    static void changedByOthersAtTheEnd() { List<Integer> l = new ArrayList<>(List.of(1, 2)); for (Iterator<Integer> i = l.iterator(); i.hasNext(); ) { if (i.next() == 2) { l.add(3); break; } } Iterator<Integer> j = l.iterator(); l.clear(); j = l.iterator(); while (j.hasNext()) j.next(); }
    @Legal("IteratorComodification")
    static void snapshots() { for (int x : new CopyOnWriteArrayList<>(List.of(1))) x++; CopyOnWriteArraySet<Integer> s = new CopyOnWriteArraySet<>(List.of(1)); for (int x : s) s.add(x + 1); ConcurrentSkipListSet<Integer> k = new ConcurrentSkipListSet<>(List.of(1)); for (int x : k) if (x < 9) k.add(x + 1); LinkedBlockingQueue<Integer> q = new LinkedBlockingQueue<>(List.of(1)); for (int x : q) if (x < 9) q.add(x + 1); ConcurrentLinkedDeque<Integer> d = new ConcurrentLinkedDeque<>(List.of(1)); for (int x : d) if (x < 9) d.add(x + 1); }
    @Legal("IteratorComodification, MapViewComodification")
    static void enums() { EnumSet<TimeUnit> s = EnumSet.of(TimeUnit.DAYS); for (TimeUnit u : s) s.add(TimeUnit.HOURS); EnumMap<TimeUnit, Integer> m = new EnumMap<>(Map.of(TimeUnit.DAYS, 1)); for (TimeUnit u : m.keySet()) m.put(TimeUnit.HOURS, 1); }
    @Legal("TraversalComodification")
    static void computedElsewhere() { Map<Integer, Integer> m = new HashMap<>(), o = new HashMap<>(); m.computeIfAbsent(1, k -> o.computeIfAbsent(k, x -> 2)); m.merge(1, 1, (a, b) -> o.merge(2, 2, Integer::sum)); m.forEach((k, v) -> o.put(k + 5, v)); m.replaceAll((k, v) -> m.get(k)); }
    @Legal("TraversalComodification")
    static void sortedByKeys() { List<String> l = new ArrayList<>(List.of("b", "a")); Map<String, Integer> seen = new HashMap<>(); l.sort(Comparator.comparing(x -> seen.computeIfAbsent(x, String::length))); l.removeIf(x -> !l.contains(x)); l.replaceAll(x -> l.get(0)); }
    @Legal("TraversalComodification")
    static void partChangedThroughItself() { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)), s = l.subList(0, 2), t = s.subList(0, 1); t.add(9); s.add(8); l.set(0, 7); s.get(0); s.clear(); l.size(); }
    @Legal("StreamReused")
    static void derivedStreams() { Stream<Integer> s = Stream.of(3, 1).filter(x -> true); s = s.sorted(); s = s.onClose(() -> { }); s = s.parallel().sequential().unordered(); s.isParallel(); s.close(); IntStream i = IntStream.range(0, 3).parallel(); i.boxed().collect(Collectors.toList()); }
    @Legal("StreamReused")
    static void closedAfterUse() throws IOException { try (Stream<String> s = Files.lines(file())) { s.limit(1).forEach(x -> { }); } Stream<Integer> t = Stream.of(1); t.count(); t.close(); t.close(); }

    // Others use it: threads, callbacks, pools.
    @Legal("LockUnlock, LockOrder")
    static void handedOver() throws Exception { Semaphore s = new Semaphore(0); inThread(s::release); s.acquire(); StampedLock l = new StampedLock(); long t = l.writeLock(); inThread(() -> l.unlockWrite(t)); long o = l.tryOptimisticRead(); l.validate(o); long r = l.readLock(); long w = l.tryConvertToWriteLock(r); l.unlock(w == 0 ? r : w); }
    @Legal("LockUnlock")
    static void readersAndWriters() throws Exception { ReentrantReadWriteLock l = new ReentrantReadWriteLock(); l.writeLock().lock(); l.readLock().lock(); l.writeLock().unlock(); l.readLock().lock(); l.readLock().unlock(); l.readLock().unlock(); if (l.readLock().tryLock(0, TimeUnit.SECONDS)) l.readLock().unlock(); }
    @Legal("ConditionLock")
    static void conditionsOfTwoLocks() throws Exception { ReentrantLock a = new ReentrantLock(); Condition c = a.newCondition(); a.lock(); try { c.await(1, TimeUnit.MILLISECONDS); c.awaitNanos(1); c.awaitUntil(new java.util.Date()); c.signalAll(); a.hasWaiters(c); a.getWaitQueueLength(c); } finally { a.unlock(); } }
    @Legal("SocketClosed, SocketStreamClosed")
    static void closedByAnother() throws Exception { try (ServerSocket l = new ServerSocket(0, 1, here())) { Socket s = new Socket(here(), l.getLocalPort()); InputStream in = s.getInputStream(); CountDownLatch reads = new CountDownLatch(1); Thread t = new Thread(() -> { try { reads.countDown(); in.read(); } catch (IOException e) { } }); t.start(); reads.await(); Thread.sleep(50); s.close(); t.join(); s.close(); s.isClosed(); s.isConnected(); s.getPort(); s.getLocalPort(); s.toString(); } }
    @Legal("SocketStreamClosed, SocketOutputShut")
    static void halfClosed() throws Exception { try (ServerSocket l = new ServerSocket(0, 1, here()); Socket s = new Socket(here(), l.getLocalPort()); Socket p = l.accept()) { s.getOutputStream().write(1); s.shutdownOutput(); p.getInputStream().read(); p.getInputStream().read(); p.getOutputStream().write(2); s.getInputStream().read(); s.isOutputShutdown(); } }
    @Legal("SocketStreamClosed")
    static void streamOutlivesAnotherSocket() throws Exception { try (ServerSocket l = new ServerSocket(0, 1, here()); Socket a = new Socket(here(), l.getLocalPort()); Socket b = l.accept()) { OutputStream o = a.getOutputStream(); InputStream i = b.getInputStream(); new Socket().close(); o.write(1); i.read(); } }
    @Legal("SocketStreamClosed")
    static void memoryBehindSocket() throws Exception { class Fake extends Socket { final InputStream in = new ByteArrayInputStream(new byte[3]); @Override public InputStream getInputStream() { return in; } @Override public OutputStream getOutputStream() { return new ByteArrayOutputStream(); } } Socket s = new Fake(); InputStream i = s.getInputStream(); s.close(); i.read(); s.getOutputStream().write(1); }
    @Legal("SocketStreamClosed, SocketClosed")
    static void pooledSocket() throws Exception { class Pooled extends Socket { @Override public void close() { } void end() throws IOException { super.close(); } } try (ServerSocket l = new ServerSocket(0, 1, here())) { Pooled s = new Pooled(); s.connect(new InetSocketAddress(here(), l.getLocalPort())); OutputStream o = s.getOutputStream(); s.close(); o.write(1); s.setTcpNoDelay(true); s.end(); } }
    @Legal("DatagramSocketClosed")
    static void datagramTimeout() throws Exception { DatagramSocket s = new DatagramSocket(0, here()); s.setSoTimeout(1); try { s.receive(new DatagramPacket(new byte[1], 1)); } catch (SocketTimeoutException e) { } s.disconnect(); s.connect(here(), 9); s.disconnect(); s.close(); s.close(); s.isClosed(); s.getLocalPort(); s.isBound(); }
    @Legal("ServerSocketClosed")
    static void serverTimeout() throws Exception { ServerSocket s = new ServerSocket(0, 1, here()); s.setSoTimeout(1); try { s.accept(); } catch (SocketTimeoutException e) { } s.close(); s.close(); s.isClosed(); s.getLocalPort(); }
    @Legal("ChannelClosed, ChannelState")
    static void channelsAtTheirEnd() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) { c.read(ByteBuffer.allocate(0)); c.position(99); if (c.read(ByteBuffer.allocate(1)) != -1) throw new AssertionError(); c.truncate(0); c.write(ByteBuffer.allocate(0)); FileLock a = c.lock(0, 1, false), b = c.lock(1, 1, false); a.release(); a.release(); c.lock(0, 1, false).close(); b.close(); c.close(); c.close(); c.isOpen(); } }
    @Legal("ChannelState, SelectionKeyCancelled, SelectorClosed")
    static void selectors() throws Exception { Selector s = Selector.open(); Pipe p = Pipe.open(); p.source().configureBlocking(false); SelectionKey k = p.source().register(s, SelectionKey.OP_READ); k.interestOps(0); s.selectNow(); k.cancel(); k.cancel(); k.isValid(); k.attachment(); k.channel(); s.selectNow(); p.source().register(s, SelectionKey.OP_READ); s.wakeup(); s.select(); s.close(); s.close(); s.isOpen(); p.source().close(); p.sink().close(); }
    @Legal("WatchServiceClosed, DirectoryStreamReused")
    static void folders() throws Exception { Path d = Files.createTempDirectory("edges"); d.toFile().deleteOnExit(); try (DirectoryStream<Path> s = Files.newDirectoryStream(d)) { Iterator<Path> i = s.iterator(); while (i.hasNext()) i.next(); s.close(); if (i.hasNext()) throw new AssertionError(); } WatchService w = d.getFileSystem().newWatchService(); WatchKey k = d.register(w, StandardWatchEventKinds.ENTRY_CREATE); w.poll(); k.pollEvents(); k.reset(); k.cancel(); w.close(); w.close(); k.isValid(); k.reset(); }
    @Legal("FileSystemClosed")
    static void anotherFileSystem() throws Exception { Path p = Files.createTempFile("edges", ".zip"); Files.delete(p); try (FileSystem f = FileSystems.newFileSystem(p, Map.of("create", "true"))) { Files.writeString(f.getPath("a"), "a"); } FileSystem f = FileSystems.newFileSystem(p, (ClassLoader) null); f.close(); f.close(); f.isOpen(); f.getPath("a").toString(); try (FileSystem g = FileSystems.newFileSystem(p, (ClassLoader) null)) { Files.readString(g.getPath("a")); } Files.delete(p); }
    @Legal("ZipFileClosed")
    static void zipTwice() throws Exception { Path p = Files.createTempFile("edges", ".zip"); try (ZipOutputStream z = new ZipOutputStream(Files.newOutputStream(p))) { z.putNextEntry(new ZipEntry("a")); z.write(new byte[0]); z.write(1); z.closeEntry(); } ZipFile a = new ZipFile(p.toFile()); a.close(); a.close(); a.getName(); try (ZipFile b = new ZipFile(p.toFile()); InputStream i = b.getInputStream(b.getEntry("a"))) { i.read(); b.close(); i.close(); } Files.delete(p); }
    @Legal("ExecutorAfterShutdown")
    static void quietAfterShutdown() throws Exception { ExecutorService e = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new ThreadPoolExecutor.DiscardPolicy()); e.submit(() -> 1).get(); e.shutdown(); e.execute(() -> { }); e.shutdown(); e.shutdownNow(); e.isTerminated(); e.awaitTermination(1, TimeUnit.SECONDS); }
    @Legal("ExecutorAfterShutdown")
    static void rejectedForRoom() { ThreadPoolExecutor e = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>()); CountDownLatch l = new CountDownLatch(1); e.execute(() -> { try { l.await(); } catch (InterruptedException x) { } }); try { e.execute(() -> { }); throw new AssertionError(); } catch (RejectedExecutionException x) { } l.countDown(); e.shutdown(); }
    @Legal("PublisherClosed")
    static void publishers() { SubmissionPublisher<Integer> p = new SubmissionPublisher<>(Runnable::run, 4); p.submit(1); p.close(); p.close(); p.isClosed(); p.getSubscribers(); p.estimateMaximumLag(); }
    @Legal("ProcessRunning")
    static void processes() throws Exception { Process p = new ProcessBuilder("true").start(); p.waitFor(); p.exitValue(); p.destroy(); p.exitValue(); p.isAlive(); Process q = new ProcessBuilder("true").start(); q.onExit().get(); q.exitValue(); }
    @Legal("UrlConnectionLate")
    static void connections() throws Exception { URLConnection c = file().toUri().toURL().openConnection(); c.setRequestProperty("a", "b"); c.setUseCaches(false); c.setDoInput(true); c.connect(); c.connect(); c.getUseCaches(); c.getDoInput(); c.setConnectTimeout(1); c.setReadTimeout(1); c.getInputStream().close(); c.getHeaderFields(); }
    @Legal("RandomAccessFileClosed")
    static void randomAccess() throws Exception { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.seek(99); if (f.read() != -1) throw new AssertionError(); f.setLength(0); f.write(new byte[0]); f.close(); f.close(); f.getChannel(); try { f.getFD(); } catch (IOException e) { } }
    @Legal("JdbcConnectionClosed, JdbcStatementClosed")
    static void closedTwiceAndAsked() throws Exception { Connection c = Jdbc.connection(); Statement s = c.createStatement(); s.close(); s.close(); s.isClosed(); c.close(); c.close(); c.isClosed(); c.isValid(1); c.abort(Runnable::run); c.unwrap(Object.class); }
    @Legal("JdbcConnectionClosed, JdbcTransactionOpen")
    static void pooledAgain() throws Exception { for (int i = 0; i < 3; i++) try (Connection c = Jdbc.pool().getConnection()) { c.setAutoCommit(false); c.createStatement().executeUpdate("x"); c.rollback(); c.setAutoCommit(true); } }
    @Legal("JdbcRow, JdbcResultSetClosed")
    static void rowsToTheEnd() throws Exception { try (Connection c = ThrowsThreads.connection(); Statement s = c.createStatement()) { for (int i = 0; i < 2; i++) { ResultSet r = s.executeQuery("x"); while (r.next()) r.getInt(1); r.close(); r.close(); } } }
    @Legal("KeyAgreementInit, SignatureInit")
    static void agreed() throws Exception { KeyPair a = KeyPairGenerator.getInstance("X25519").generateKeyPair(), b = KeyPairGenerator.getInstance("X25519").generateKeyPair(); KeyAgreement k = KeyAgreement.getInstance("X25519"); for (int i = 0; i < 2; i++) { k.init(a.getPrivate()); k.doPhase(b.getPublic(), true); k.generateSecret(); } }
    @Legal("HashSetElement")
    static void changedButEqual() { class Node { int x; @Override public int hashCode() { return 1; } @Override public boolean equals(Object o) { return this == o; } } Set<Node> s = new HashSet<>(); Node n = new Node(); s.add(n); n.x = 5; s.contains(n); s.remove(n); s.add(n); }
    @Legal("HashSetElement")
    static void changedAndPutBack() { Set<List<Integer>> s = new LinkedHashSet<>(); List<Integer> l = new ArrayList<>(); s.add(l); l.add(1); l.remove(0); s.contains(l); s.clear(); l.add(2); s.add(l); s.contains(l); Set<Object> i = Collections.newSetFromMap(new IdentityHashMap<>()); i.add(l); l.add(3); i.contains(l); }
    @Legal("FormatShared")
    static void formatPerThread() throws Exception { ThreadLocal<java.text.DateFormat> f = ThreadLocal.withInitial(() -> new java.text.SimpleDateFormat("yyyy")); for (int i = 0; i < 3; i++) inThread(() -> f.get().format(new java.util.Date())); java.time.format.DateTimeFormatter d = java.time.format.DateTimeFormatter.ISO_DATE; inThread(() -> d.format(java.time.LocalDate.now())); }
    @Legal("LockOrder")
    static void sameLocksAgain() throws Exception { Object a = new Object(), b = new Object(); for (int i = 0; i < 3; i++) inThread(() -> { synchronized (a) { synchronized (b) { synchronized (a) { synchronized (b) { } } } } }); }
    @Legal("LockOrder")
    static void orderedByNumber() throws Exception { Object[] all = {new Object(), new Object()}; BiConsumer<Integer, Integer> both = (x, y) -> { synchronized (all[Math.min(x, y)]) { synchronized (all[Math.max(x, y)]) { } } }; inThread(() -> both.accept(0, 1)); inThread(() -> both.accept(1, 0)); }
    @Legal("LockOrder")
    static void otherObjectsOfTheSameClass() throws Exception { class Node { Node next; synchronized void touch() { if (next != null) next.touch(); } } Node a = new Node(), b = new Node(), c = new Node(), d = new Node(); a.next = b; c.next = d; inThread(a::touch); inThread(c::touch); inThread(b::touch); }
    @Legal("LockOrder")
    static void releasedByWaiting() throws Exception { ReentrantLock a = new ReentrantLock(), b = new ReentrantLock(); Condition c = a.newCondition(); inThread(() -> { a.lock(); try { c.await(1, TimeUnit.MILLISECONDS); } catch (InterruptedException e) { } a.unlock(); b.lock(); a.lock(); a.unlock(); b.unlock(); }); inThread(() -> { b.lock(); a.lock(); a.unlock(); b.unlock(); }); }
    @Legal("SynchronizedIteration, SynchronizedMapIteration")
    static void synchronisedInCalls() { List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1, 2))); l.forEach(x -> { }); l.removeIf(x -> x > 5); l.replaceAll(x -> x); l.sort(null); l.toString(); l.containsAll(l); new ArrayList<>(l).iterator().next(); List.copyOf(l); l.toArray(); String.valueOf(l); Map<Integer, Integer> m = Collections.synchronizedMap(new HashMap<>(Map.of(1, 1))); m.forEach((k, v) -> { }); m.replaceAll((k, v) -> v); m.keySet().contains(1); m.entrySet().size(); synchronized (m) { for (int k : m.keySet()) k++; } }
    @Legal("NeverClosed")
    static void closedByTheWrapper() throws Exception { new BufferedReader(new InputStreamReader(new FileInputStream(file().toFile()))).close(); new DataInputStream(new FileInputStream(file().toFile())).close(); new ObjectOutputStream(new FileOutputStream(file().toFile())).close(); new Scanner(file()).close(); new PrintStream(new FileOutputStream(file().toFile())).close(); new FileInputStream(file().toFile()).getChannel().close(); Channels.newChannel(new FileInputStream(file().toFile())).close(); new InputStreamReader(Files.newInputStream(file())).close(); new SequenceInputStream(new FileInputStream(file().toFile()), new FileInputStream(file().toFile())).close(); for (int i = 0; i < 3; i++) System.gc(); }
    @Legal("NeverClosed")
    static void filesThatFailed() throws Exception { for (int i = 0; i < 5; i++) { try { new FileInputStream("/nowhere/at/all"); } catch (FileNotFoundException e) { } try { new FileOutputStream("/"); } catch (FileNotFoundException e) { } try { Files.newInputStream(Path.of("/nowhere")); } catch (NoSuchFileException e) { } try { new Socket(here(), 1).close(); } catch (IOException e) { } try { new ZipFile("/nowhere"); } catch (IOException e) { } try { Files.list(file()); } catch (NotDirectoryException e) { } } for (int i = 0; i < 3; i++) System.gc(); }
    @Legal("WriterUnflushed")
    static void flushedByTheOtherEnd() throws Exception { OutputStreamWriter w = new OutputStreamWriter(new ByteArrayOutputStream()); w.write("a"); w.flush(); w.flush(); w.write(""); w.append(""); BufferedWriter b = new BufferedWriter(new StringWriter(), 2); b.write("ab"); b.write("c"); b.flush(); b.write(new char[9], 0, 0); }
    @Legal("WriterUnflushed")
    static void archiveClosedInTheMiddle() throws Exception { ZipOutputStream z = new ZipOutputStream(new ByteArrayOutputStream()); try { z.putNextEntry(new ZipEntry("a")); z.putNextEntry(new ZipEntry("a")); throw new AssertionError(); } catch (ZipException e) { } finally { z.close(); } GZIPOutputStream g = new GZIPOutputStream(new ByteArrayOutputStream()); g.finish(); }
    @Legal("BufferNotFlipped")
    static void writtenInPlaces() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { ByteBuffer b = ByteBuffer.allocate(8); b.putInt(1).flip(); while (b.hasRemaining()) c.write(b); b.compact(); b.putInt(2); b.flip(); c.write(b); ByteBuffer d = b.duplicate(); d.clear(); c.write(d); c.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[1])}); } }
    @Legal("MarkReset")
    static void marks() throws Exception { InputStream in = new BufferedInputStream(new ByteArrayInputStream(new byte[9]), 2); in.mark(9); in.read(new byte[9]); in.reset(); in.read(); in.reset(); Reader r = new BufferedReader(new StringReader("abc"), 1); r.mark(3); r.read(new char[3]); r.reset(); new ByteArrayInputStream(new byte[1]).reset(); new StringReader("a").reset(); new CharArrayReader(new char[1]).reset(); InputStream p = new PushbackInputStream(in); if (p.markSupported()) throw new AssertionError(); p.mark(1); }
    @Legal("SelectionKeyCancelled")
    static void askedIfValid() throws Exception { Selector s = Selector.open(); DatagramChannel c = DatagramChannel.open(); c.configureBlocking(false); SelectionKey k = c.register(s, SelectionKey.OP_WRITE); c.close(); if (k.isValid()) k.readyOps(); k.attach(1); k.selector(); s.close(); }
    @Legal("IteratorComodification, CollectionEmpty")
    static void drained() { PriorityQueue<Integer> q = new PriorityQueue<>(List.of(3, 1, 2)); while (!q.isEmpty()) { q.remove(); if (q.size() == 1) q.add(9); if (q.contains(9)) q.remove(9); } for (Integer x = q.poll(); x != null; x = q.poll()) { } }
    @Legal("ImmutableCollection")
    static void copiesMayChange() { List<Integer> l = new ArrayList<>(List.of(1)); l.add(2); new HashMap<>(Map.of(1, 2)).put(3, 4); new TreeSet<>(Set.of(1)).add(2); Stream.of(1).collect(Collectors.toCollection(ArrayList::new)).add(2); List<Integer> v = Collections.unmodifiableList(l); l.add(5); if (v.size() != 3) throw new AssertionError(); Map.of(1, 2).getOrDefault(1, 3); new HashMap<>(Map.of(1, 1)).keySet().remove(1); new HashMap<>(Map.of(1, 1)).values().clear(); }
    @Legal("ObjectStreamInactive, InputStreamClosed")
    static void objectsToTheEnd() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (ObjectOutputStream o = new ObjectOutputStream(b)) { o.writeInt(1); o.writeObject(null); o.reset(); } try (ObjectInputStream i = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray()))) { i.readInt(); i.readObject(); try { i.readObject(); throw new AssertionError(); } catch (EOFException e) { } } }

    // Callbacks and subclasses that fail for reasons of their own.
    static Path folder() throws IOException { Path d = Files.createTempDirectory("edges"); d.toFile().deleteOnExit(); return d; }
    @Legal("DirectoryStreamReused")
    static void ownExceptionInForEach() throws Exception { Path d = folder(); Files.createFile(d.resolve("a")); try (DirectoryStream<Path> s = Files.newDirectoryStream(d)) { try { s.forEach(p -> { throw new IllegalStateException("mine"); }); } catch (IllegalStateException e) { } } }
    @Legal("FileSystemClosed")
    static void visitorOfAnother() throws Exception { Path d = folder(); try { Files.walkFileTree(d, new SimpleFileVisitor<>() { @Override public FileVisitResult preVisitDirectory(Path p, java.nio.file.attribute.BasicFileAttributes a) { throw new ClosedFileSystemException(); } }); } catch (ClosedFileSystemException e) { } }

    /** A socket that stays open. */
    static class Kept extends Socket { @Override public void close() { } @Override public void shutdownOutput() { } void end() throws IOException { super.close(); } }
    @Legal("SocketClosed")
    static void pooledConnectFails() throws Exception { Socket s = new Kept(); s.close(); try { s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)); } catch (ConnectException e) { } }
    @Legal("SocketOutputShut")
    static void ignoredShutdown() throws Exception { try (ServerSocket l = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) { Kept s = new Kept(); s.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), l.getLocalPort())); Socket p = l.accept(); OutputStream o = s.getOutputStream(); s.shutdownOutput(); p.setSoLinger(true, 0); p.close(); try { for (int i = 0; i < 100; i++) { o.write(new byte[9999]); } } catch (SocketException e) { } s.end(); } }
    @Legal("DatagramSocketClosed")
    static void datagramOfItsOwn() throws Exception { class Own extends DatagramSocket { Own() throws SocketException { super(0); } @Override public void close() { } } DatagramSocket s = new Own(); s.close(); try { s.bind(new InetSocketAddress(0)); } catch (SocketException e) { } }
    @Legal("ServerSocketClosed")
    static void serverOfItsOwn() throws Exception { class Own extends ServerSocket { Own() throws IOException { super(0); } @Override public void close() { } } ServerSocket s = new Own(); s.close(); try { s.bind(new InetSocketAddress(0)); } catch (SocketException e) { } }

    // Callbacks and drivers that fail for reasons of their own.
    @SuppressWarnings("unchecked")
    static <T> T like(Class<T> t, Map<String, Object> answers) {
        return (T) Proxy.newProxyInstance(LegalBoundaries.class.getClassLoader(), new Class<?>[] {t}, (proxy, method, arguments) -> {
            Object answer = answers.get(method.getName());
            if (answer instanceof SQLException) throw (SQLException) answer;
            if (answer != null) return answer;
            Class<?> type = method.getReturnType();
            if (type == boolean.class) return false;
            if (type == int.class) return 0;
            return null;
        });
    }

    @Legal("JdbcStatementClosed")
    static void statementPooled() throws Exception { PreparedStatement s = like(PreparedStatement.class, Map.of("executeUpdate", new SQLException("syntax"))); Connection c = like(Connection.class, Map.of("prepareStatement", s)); for (int i = 0; i < 2; i++) { PreparedStatement p = c.prepareStatement("x"); try { p.executeUpdate(); } catch (SQLException e) { } p.close(); } }
    @Legal("JdbcResultSetClosed")
    static void rowsRecycled() throws Exception { Map<String, Object> answers = new HashMap<>(); Statement s = like(Statement.class, Map.of("executeQuery", like(ResultSet.class, answers))); s.executeQuery("x").close(); ResultSet r = s.executeQuery("y"); answers.put("next", new SQLException("network")); try { r.next(); } catch (SQLException e) { } }
    @Legal("JdbcConnectionClosed")
    static void connectionOfDriverManagerPool() throws Exception { Map<String, Object> answers = new HashMap<>(); Connection kept = like(Connection.class, answers); Supplier<Connection> pool = () -> kept; try (Connection c = pool.get()) { c.commit(); } Connection c = pool.get(); answers.put("prepareStatement", new SQLException("syntax")); c.setAutoCommit(false); try { c.prepareStatement("x"); } catch (SQLException e) { } answers.clear(); c.rollback(); c.close(); }
    @Legal("JdbcStatementClosed")
    static void statementsOfPooledConnection() throws Exception { Map<String, Object> a = new HashMap<>(); Statement s = like(Statement.class, a); javax.sql.DataSource d = like(javax.sql.DataSource.class, Map.of("getConnection", like(Connection.class, Map.of("createStatement", s)))); try (Connection c = d.getConnection()) { c.createStatement().execute("x"); } Connection c = d.getConnection(); Statement t = c.createStatement(); a.put("execute", new SQLException("syntax")); try { t.execute("y"); } catch (SQLException e) { } t.close(); c.close(); }
    @Legal("PhaserParties")
    static void phaserAdvance() { Phaser p = new Phaser(1) { @Override protected boolean onAdvance(int phase, int n) { throw new IllegalStateException("mine"); } }; try { p.arrive(); } catch (IllegalStateException e) { } }
    @Legal("QueueFull")
    static void queueOfMine() { Queue<Integer> q = new AbstractQueue<>() { @Override public boolean offer(Integer x) { throw new IllegalStateException("shut down"); } @Override public Integer poll() { return null; } @Override public Integer peek() { return null; } @Override public Iterator<Integer> iterator() { return Collections.emptyIterator(); } @Override public int size() { return 0; } }; try { q.add(1); } catch (IllegalStateException e) { } }
    @Legal("TimerCancelled")
    static void timerOfBadTime() { java.util.Timer t = new java.util.Timer(true); try { t.schedule(new TimerTask() { @Override public void run() { } }, -1); } catch (IllegalArgumentException e) { } t.cancel(); }
    @Legal("StreamReused")
    static void streamCallbackThrows() { try { Stream.of(1).map(x -> { if (x == 1) throw new IllegalStateException("stream has already been operated upon or closed"); return x; }).filter(x -> true).count(); } catch (IllegalStateException e) { } try { Stream.of(1).filter(x -> { throw new IllegalStateException("mine"); }).findFirst(); } catch (IllegalStateException e) { } }
    @Legal("StreamReused")
    static void collectorThrows() { try { Stream.of(1, 1).collect(Collectors.toMap(x -> x, x -> x)); } catch (IllegalStateException e) { } }
    @Legal("TraversalComodification")
    static void spliteratorOfMine() { try { StreamSupport.stream(new Spliterators.AbstractSpliterator<Integer>(1, 0) { @Override public boolean tryAdvance(Consumer<? super Integer> c) { throw new ConcurrentModificationException("mine"); } }, false).count(); } catch (ConcurrentModificationException e) { } }
    @Legal("ImmutableCollection")
    static void comparatorThrows() { try { new ArrayList<>(List.of(1, 2)).sort((a, b) -> { throw new UnsupportedOperationException("mine"); }); } catch (UnsupportedOperationException e) { } try { new HashMap<Integer, Integer>().computeIfAbsent(1, k -> { throw new UnsupportedOperationException("mine"); }); } catch (UnsupportedOperationException e) { } try { new ArrayList<>(List.of(1)).removeIf(x -> { throw new ConcurrentModificationException("mine"); }); } catch (ConcurrentModificationException e) { } }
    @Legal("OptionalGet")
    static void optionalCallback() { try { Optional.of(1).map(x -> { return Optional.<Integer>empty().orElseThrow(() -> new NoSuchElementException("mine")); }); } catch (NoSuchElementException e) { } }
    @Legal("PublisherClosed")
    static void publisherOfMine() { try (SubmissionPublisher<Integer> p = new SubmissionPublisher<>(r -> { throw new RejectedExecutionException(); }, 4)) { p.consume(x -> { }); } catch (RejectedExecutionException e) { } }
    @Legal("ExecutorAfterShutdown")
    static void executorCallback() { ExecutorService e = Executors.newSingleThreadExecutor(); Future<?> f = e.submit(() -> { throw new RejectedExecutionException("mine"); }); try { f.get(); } catch (InterruptedException | ExecutionException x) { } e.shutdown(); }
    @Legal("ObjectStreamInactive")
    static void objectReadsNested() throws Exception { class N implements Serializable { private void writeObject(ObjectOutputStream o) throws IOException { throw new NotActiveException("mine"); } } try { new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(new N()); } catch (NotActiveException e) { } }
    @Legal("MatcherMatch")
    static void matcherCallback() { try { Pattern.compile("a").matcher("a").replaceAll(r -> { throw new IllegalStateException("mine"); }); } catch (IllegalStateException e) { } try { Pattern.compile("a").matcher("a").results().forEach(r -> { throw new ConcurrentModificationException("mine"); }); } catch (ConcurrentModificationException e) { } }
    @Legal("ScannerExhausted")
    static void scannerSource() { Scanner s = new Scanner(new Readable() { @Override public int read(CharBuffer b) throws IOException { throw new IOException("mine"); } }); if (s.hasNext() || s.ioException() == null) throw new AssertionError(); }
    @Legal("ProcessRunning")
    static void processOfMine() { Process p = new Process() { @Override public OutputStream getOutputStream() { return null; } @Override public InputStream getInputStream() { return null; } @Override public InputStream getErrorStream() { return null; } @Override public int waitFor() { return 0; } @Override public int exitValue() { return 7; } @Override public void destroy() { } }; p.exitValue(); p.isAlive(); }
}
