import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.jar.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;

/** More uses that the documentation allows, a line or two each. */
final class LegalMore {
    static List<String> letters() { return new ArrayList<>(List.of("a", "b", "c", "d")); }

    static Map<String, Integer> numbers() { return new TreeMap<>(Map.of("a", 1, "b", 2, "c", 3)); }

    static Path file() throws IOException {
        Path path = Files.createTempFile("more", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "one\ntwo\nthree\n");
    }

    static void removeFromArrayDequeByIterator() { Deque<String> d = new ArrayDeque<>(letters()); for (Iterator<String> i = d.iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromLinkedListByIterator() { List<String> l = new LinkedList<>(letters()); for (Iterator<String> i = l.iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromVectorByIterator() { List<String> l = new Vector<>(letters()); for (Iterator<String> i = l.iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromTreeSetByIterator() { Set<String> s = new TreeSet<>(letters()); for (Iterator<String> i = s.iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromLinkedHashSetByIterator() { Set<String> s = new LinkedHashSet<>(letters()); for (Iterator<String> i = s.iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromSubListByIterator() { List<String> l = letters(); for (Iterator<String> i = l.subList(1, 3).iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromHeadSetByIterator() { TreeSet<String> s = new TreeSet<>(letters()); for (Iterator<String> i = s.headSet("c").iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromDescendingMapByIterator() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); for (Iterator<String> i = m.descendingMap().keySet().iterator(); i.hasNext(); ) { i.next(); i.remove(); } }
    static void removeFromCopyOnWriteByOther() { CopyOnWriteArrayList<String> l = new CopyOnWriteArrayList<>(letters()); Iterator<String> i = l.iterator(); i.next(); l.clear(); while (i.hasNext()) i.next(); }
    static void listIteratorBothWays() { ListIterator<String> i = letters().listIterator(2); i.previous(); i.next(); i.next(); i.set("x"); i.remove(); i.add("y"); i.previous(); }
    static void listIteratorAddTwice() { ListIterator<String> i = new LinkedList<>(letters()).listIterator(); i.add("x"); i.add("y"); i.next(); i.remove(); }
    static void listIteratorIndices() { ListIterator<String> i = letters().listIterator(); while (i.hasNext()) { i.nextIndex(); i.next(); i.previousIndex(); } }
    @Legal("IteratorExhausted")
    static void twoIteratorsRead() { List<String> l = letters(); for (String a : l) for (String b : l) a.compareTo(b); }
    static void iteratorAfterRebuild() { List<String> l = letters(); l.clear(); l.addAll(letters()); for (String s : l) s.length(); }
    static void sizeChangesBeforeLoop() { List<String> l = letters(); Iterator<String> old = l.iterator(); l.add("x"); old = l.iterator(); old.next(); }
    static void indexedLoopRemoves() { List<String> l = letters(); for (int i = 0; i < l.size(); i++) if (l.get(i).equals("b")) l.remove(i--); }
    static void whileNotEmpty() { List<String> l = letters(); while (!l.isEmpty()) l.remove(l.size() - 1); Deque<String> d = new ArrayDeque<>(letters()); while (!d.isEmpty()) d.pop(); }
    static void pollUntilNull() { Queue<String> q = new PriorityQueue<>(letters()); while (q.poll() != null) { } }
    static void queueRefusals() { Queue<String> q = new ArrayBlockingQueue<>(1); q.offer("a"); q.offer("b"); q.peek(); }
    static void removeAllOfOther() { List<String> l = letters(); l.removeAll(l.subList(0, 0)); l.retainAll(new HashSet<>(l)); }
    static void addAllOfItsCopy() { List<String> l = letters(); l.addAll(new ArrayList<>(l)); l.addAll(0, List.copyOf(l)); }
    static void collectionsHelpers() { List<String> l = letters(); Collections.reverse(l); Collections.rotate(l, 1); Collections.swap(l, 0, 1); Collections.fill(l, "x"); Collections.replaceAll(l, "x", "y"); Collections.addAll(l, "z"); }
    static void bulkOnViews() { Map<String, Integer> m = numbers(); m.keySet().retainAll(List.of("a", "b")); m.values().removeAll(List.of(2)); m.entrySet().clear(); }
    static void viewSeesChange() { Map<String, Integer> m = numbers(); Set<String> keys = m.keySet(); m.put("z", 26); for (String k : keys) k.length(); }
    static void mapEntryKept() { Map<String, Integer> m = new HashMap<>(numbers()); Map.Entry<String, Integer> e = m.entrySet().iterator().next(); m.put("z", 1); e.getValue(); }
    static void firstEntryPolled() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); while (m.pollFirstEntry() != null) { } }
    static void mapOfLists() { Map<String, List<String>> m = new HashMap<>(); for (String s : letters()) m.computeIfAbsent(s, k -> new ArrayList<>()).add(s); for (List<String> l : m.values()) l.add("x"); }
    static void countByMerge() { Map<String, Integer> m = new HashMap<>(); for (String s : letters()) m.merge(s, 1, Integer::sum); }
    static void removeInForEachOfCopy() { Map<String, Integer> m = numbers(); new HashMap<>(m).forEach((k, v) -> m.remove(k)); }
    static void concurrentComputes() { ConcurrentMap<String, Integer> m = new ConcurrentHashMap<>(numbers()); m.forEach((k, v) -> m.compute(k, (x, y) -> y + 1)); for (String k : m.keySet()) m.computeIfPresent(k, (x, y) -> null); }
    static void concurrentReduce() { ConcurrentHashMap<String, Integer> m = new ConcurrentHashMap<>(numbers()); m.reduceValues(1, Integer::sum); m.search(1, (k, v) -> null); m.forEachKey(1, k -> m.put(k, 9)); }
    static void weakMapForgets() { WeakHashMap<Object, String> m = new WeakHashMap<>(); m.put(new Object(), "x"); System.gc(); for (Object k : m.keySet()) k.hashCode(); }
    static void lruCache() {
        Map<String, Integer> lru = new LinkedHashMap<>(16, 0.75f, true) { @Override protected boolean removeEldestEntry(Map.Entry<String, Integer> e) { return size() > 2; } };
        for (String s : letters()) { lru.put(s, 1); lru.get("a"); }
        for (Integer v : lru.values()) v.hashCode();
    }
    static void toArrayLoop() { Set<String> s = new HashSet<>(letters()); for (Object o : s.toArray()) s.remove(o); }
    static void streamToOther() { List<String> l = letters(); l.stream().filter(s -> s.compareTo("b") > 0).collect(Collectors.toList()).forEach(l::remove); }
    static void streamCollectors() { letters().stream().collect(Collectors.groupingBy(s -> s)).values().forEach(v -> v.add("x")); }
    static void streamThrowsOwn() { try { letters().stream().forEach(s -> { throw new IllegalStateException(); }); } catch (IllegalStateException expected) { } }
    static void streamDuplicateKey() { try { Stream.of("a", "a").collect(Collectors.toMap(s -> s, s -> s)); } catch (IllegalStateException expected) { } }
    @Legal("OptionalGet")
    static void streamEmptyReduce() { Stream.<String>empty().reduce((a, b) -> a).isPresent(); IntStream.empty().max().isPresent(); }
    static void streamLimitSkip() { Stream.iterate(1, i -> i + 1).skip(2).limit(3).mapToInt(i -> i).sum(); }
    @Legal("StreamReused")
    static void streamFlatMapped() { Stream.of(letters(), letters()).flatMap(List::stream).distinct().sorted().toArray(); }
    static void streamConcatenated() { Stream.concat(letters().stream(), letters().stream()).count(); }
    static void streamParallelCollect() { IntStream.range(0, 100).parallel().boxed().collect(Collectors.toConcurrentMap(i -> i, i -> i)); }
    static void streamOfConcurrentChange() { List<String> l = new CopyOnWriteArrayList<>(letters()); l.stream().forEach(l::add); }
    static void streamClosedTwice() { Stream<String> s = letters().stream(); s.count(); s.close(); s.close(); }
    static void spliteratorSplit() { Spliterator<String> a = letters().spliterator(); Spliterator<String> b = a.trySplit(); a.forEachRemaining(s -> { }); if (b != null) b.forEachRemaining(s -> { }); }
    static void spliteratorPastEnd() { Spliterator<String> a = List.of("a").spliterator(); while (a.tryAdvance(s -> { })) { } a.tryAdvance(s -> { }); }
    static void optionalChains() { Optional.of(1).map(i -> i + 1).filter(i -> i > 9).or(() -> Optional.of(3)).get(); Optional.empty().ifPresent(o -> { }); Optional.ofNullable(null).orElseGet(() -> 1); }
    static void optionalThrowsOwn() { try { Optional.empty().orElseThrow(IllegalArgumentException::new); } catch (IllegalArgumentException expected) { } }
    static void iteratorOfOwnClass() {
        Iterator<Integer> count = new Iterator<>() { int n; @Override public boolean hasNext() { return n < 3; } @Override public Integer next() { if (!hasNext()) throw new NoSuchElementException(); return n++; } };
        while (count.hasNext()) count.next();
    }
    static void iterableTwice() { Iterable<String> i = letters(); for (String s : i) s.length(); for (String s : i) s.length(); }
    static void unsupportedNotCalled() { List<String> l = Collections.unmodifiableList(letters()); l.get(0); l.contains("x"); l.stream().count(); l.toArray(); }
    static void immutableCopies() { new ArrayList<>(List.of(1)).add(2); new HashMap<>(Map.of(1, 1)).clear(); new TreeSet<>(Set.of(1)).pollFirst(); }
    static void asListWrites() { List<Integer> l = Arrays.asList(3, 1, 2); l.set(0, 9); l.replaceAll(i -> i + 1); Collections.reverse(l); }
    static void emptyCollections() { Collections.emptyMap().isEmpty(); Collections.emptySet().iterator().hasNext(); for (Object o : Collections.emptyList()) o.hashCode(); }
    static void singletonRead() { Collections.singletonList("a").get(0); Collections.singletonMap("a", 1).forEach((k, v) -> { }); }
    static void checkedCollections() { List<String> l = Collections.checkedList(new ArrayList<>(), String.class); l.add("a"); l.remove("a"); }
    @Legal("EnumerationExhausted")
    static void enumerations() { Enumeration<String> e = Collections.enumeration(letters()); while (e.hasMoreElements()) e.nextElement(); e.asIterator().hasNext(); }
    static void tokens() { StringTokenizer t = new StringTokenizer("a,b;c", ","); t.nextToken(); t.nextToken(";"); t.countTokens(); while (t.hasMoreTokens()) t.nextToken(); }
    @Legal("ScannerClosed")
    static void scanners() { Scanner in = new Scanner("1 two\nthree"); in.nextInt(); in.hasNextInt(); in.next(); in.nextLine(); in.nextLine(); in.hasNextLine(); in.close(); }
    static void scannerMismatch() { Scanner in = new Scanner("x"); try { in.nextInt(); } catch (InputMismatchException expected) { in.next(); } }
    static void bufferedCopy() throws IOException { try (Reader in = Files.newBufferedReader(file()); Writer out = new StringWriter()) { in.transferTo(out); } }
    static void nestedTry() throws IOException { try (InputStream in = Files.newInputStream(file()); BufferedInputStream b = new BufferedInputStream(in)) { b.mark(9); b.read(); b.reset(); b.readAllBytes(); } }
    static void printStreams() { PrintStream out = new PrintStream(new ByteArrayOutputStream()); out.printf("%d", 1); out.println(); out.close(); out.close(); }
    static void printWriterToStringWriter() { StringWriter s = new StringWriter(); try (PrintWriter p = new PrintWriter(s)) { new Exception().printStackTrace(p); } s.write("x"); s.toString(); }
    static void dataStreams() throws IOException { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (DataOutputStream o = new DataOutputStream(b)) { o.writeUTF("x"); o.writeLong(1); } DataInputStream i = new DataInputStream(new ByteArrayInputStream(b.toByteArray())); i.readUTF(); i.readLong(); try { i.readInt(); } catch (EOFException expected) { } i.close(); }
    static void readAfterEnd() throws IOException { Reader in = new StringReader("a"); in.read(); in.read(); in.read(); in.close(); }
    static void readerFailsOpen() throws IOException { Reader in = new InputStreamReader(new InputStream() { @Override public int read() throws IOException { throw new IOException("broken"); } }); try { in.read(); } catch (IOException expected) { } in.close(); }
    static void writerFailsWhileClosing() throws IOException {
        Writer out = new BufferedWriter(new Writer() {
            @Override public void write(char[] c, int a, int b) throws IOException { throw new IOException("full"); }
            @Override public void flush() { }
            @Override public void close() { }
        });
        out.write("x");
        try { out.close(); } catch (IOException expected) { }
    }
    /** Waits until a thread is inside of a method. */
    private static void await(Thread thread, String method) throws InterruptedException {
        while (thread.isAlive() && Arrays.stream(thread.getStackTrace()).noneMatch(f -> f.getMethodName().equals(method))) Thread.sleep(2);
    }
    @Legal("SocketClosed")
    static void socketReaderStopped() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
            Socket other = server.accept();
            InputStream in = other.getInputStream();
            Thread reader = new Thread(() -> { try { in.read(); } catch (IOException stopped) { } });
            reader.start();
            await(reader, "read");
            other.close();
            reader.join();
        }
    }
    static void acceptStopped() throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread acceptor = new Thread(() -> { try { server.accept(); } catch (IOException stopped) { } });
        acceptor.start();
        await(acceptor, "accept");
        server.close();
        acceptor.join();
    }
    static void channelReaderStopped() throws Exception {
        Pipe pipe = Pipe.open();
        Thread reader = new Thread(() -> { try { pipe.source().read(ByteBuffer.allocate(1)); } catch (IOException stopped) { } });
        reader.start();
        await(reader, "read");
        pipe.source().close();
        reader.join();
        pipe.sink().close();
    }
    static void pipesBetweenThreads() throws Exception { PipedWriter w = new PipedWriter(); PipedReader r = new PipedReader(w); Thread t = new Thread(() -> { try (w) { w.write("x"); } catch (IOException e) { throw new UncheckedIOException(e); } }); t.start(); r.read(); t.join(); r.close(); }
    @Legal("ChannelClosed")
    static void channelsCopy() throws IOException { try (FileChannel in = FileChannel.open(file()); FileChannel out = FileChannel.open(file(), StandardOpenOption.WRITE)) { in.transferTo(0, in.size(), out); out.position(1); out.truncate(2); out.force(true); } }
    static void channelOfStreamClosed() throws IOException { FileInputStream in = new FileInputStream(file().toFile()); FileChannel channel = in.getChannel(); in.close(); channel.isOpen(); channel.close(); }
    @Legal("ChannelClosed, SelectorClosed")
    static void nonBlockingChannel() throws IOException { try (ServerSocketChannel s = ServerSocketChannel.open()) { s.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)); s.configureBlocking(false); s.accept(); try (Selector e = Selector.open()) { s.register(e, SelectionKey.OP_ACCEPT); e.selectNow(); } } }
    @Legal("DatagramSocketClosed")
    static void datagrams() throws IOException { try (DatagramSocket s = new DatagramSocket(0, InetAddress.getLoopbackAddress())) { s.setSoTimeout(1); try { s.receive(new DatagramPacket(new byte[1], 1)); } catch (SocketTimeoutException expected) { } } }
    @Legal("BufferMisused")
    static void byteBuffers() { ByteBuffer b = ByteBuffer.allocate(4); b.putShort((short) 1).flip(); b.getShort(); b.clear(); b.rewind(); b.compact(); }
    @Legal("StreamReused")
    static void filesWalk() throws IOException { Path d = Files.createTempDirectory("more"); d.toFile().deleteOnExit(); try (Stream<Path> s = Files.walk(d)) { s.forEach(p -> { }); } try (Stream<Path> s = Files.find(d, 1, (p, a) -> true)) { s.count(); } }
    static void filesHelpers() throws IOException { Path f = file(); Files.readAllLines(f); Files.readString(f); Files.write(f, List.of("x"), StandardOpenOption.APPEND); Files.copy(f, OutputStream.nullOutputStream()); }
    @Legal("DirectoryStreamReused")
    static void directoryLoop() throws IOException { Path d = Files.createTempDirectory("more"); d.toFile().deleteOnExit(); try (DirectoryStream<Path> s = Files.newDirectoryStream(d, "*.x")) { for (Iterator<Path> i = s.iterator(); i.hasNext(); ) i.next(); } }
    @Legal("RandomAccessFileClosed")
    static void randomAccess() throws IOException { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.seek(2); f.writeInt(1); f.setLength(3); f.getFilePointer(); f.length(); f.close(); }
    @Legal("OutputStreamClosed, ZipEntryOpen")
    static void zipRoundTrip() throws IOException { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (ZipOutputStream z = new ZipOutputStream(b)) { z.putNextEntry(new ZipEntry("d/")); z.closeEntry(); z.putNextEntry(new ZipEntry("d/x")); z.write(new byte[3]); } try (ZipInputStream z = new ZipInputStream(new ByteArrayInputStream(b.toByteArray()))) { while (z.getNextEntry() != null) z.readAllBytes(); } }
    @Legal("ZipFileClosed")
    static void jarRoundTrip() throws IOException { Path p = Files.createTempFile("more", ".jar"); p.toFile().deleteOnExit(); try (JarOutputStream j = new JarOutputStream(Files.newOutputStream(p), new Manifest())) { j.putNextEntry(new JarEntry("x")); j.write(1); j.closeEntry(); } try (JarFile j = new JarFile(p.toFile())) { j.getManifest(); j.stream().count(); j.getInputStream(j.getEntry("x")).read(); } }
    static void deflaterSteps() { Deflater d = new Deflater(); d.setInput(new byte[3]); d.finish(); d.deflate(new byte[99]); d.reset(); d.end(); }
    static void checkedStream() throws IOException { CheckedInputStream c = new CheckedInputStream(new ByteArrayInputStream(new byte[3]), new CRC32()); c.readAllBytes(); c.getChecksum().getValue(); c.close(); }
    static void lockNested() { ReentrantLock l = new ReentrantLock(true); l.lock(); l.lock(); l.unlock(); l.unlock(); l.isLocked(); }
    static void lockTimed() throws Exception { ReentrantLock l = new ReentrantLock(); if (l.tryLock(1, TimeUnit.MILLISECONDS)) l.unlock(); l.lockInterruptibly(); l.unlock(); }
    static void lockGuarded() { ReentrantLock l = new ReentrantLock(); boolean got = l.tryLock(); try { l.getHoldCount(); } finally { if (got) l.unlock(); } if (l.isHeldByCurrentThread()) l.unlock(); }
    static void readLockShared() throws Exception { ReadWriteLock l = new ReentrantReadWriteLock(); l.readLock().lock(); Thread t = new Thread(() -> { l.readLock().lock(); l.readLock().unlock(); }); t.start(); t.join(); l.readLock().unlock(); }
    static void stampedLock() { StampedLock l = new StampedLock(); long s = l.writeLock(); l.unlockWrite(s); s = l.tryOptimisticRead(); l.validate(s); s = l.readLock(); l.unlockRead(s); }
    static void conditionHandOver() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); AtomicInteger n = new AtomicInteger(); Thread t = new Thread(() -> { l.lock(); try { n.set(1); c.signalAll(); } finally { l.unlock(); } }); l.lock(); try { t.start(); while (n.get() == 0) c.await(1, TimeUnit.SECONDS); } finally { l.unlock(); } t.join(); }
    static void conditionInterrupted() throws Exception { ReentrantLock l = new ReentrantLock(); l.lock(); try { Thread.currentThread().interrupt(); l.newCondition().await(); } catch (InterruptedException expected) { } finally { l.unlock(); } }
    static void waitInterrupted() { Object o = new Object(); synchronized (o) { Thread.currentThread().interrupt(); try { o.wait(); } catch (InterruptedException expected) { } } }
    static void waitBadTimeout() throws Exception { Object o = new Object(); synchronized (o) { try { o.wait(-1); } catch (IllegalArgumentException expected) { } } }
    @Legal("WaitNotify")
    static void monitorHandOver() throws Exception { Object o = new Object(); boolean[] done = {false}; Thread t = new Thread(() -> { synchronized (o) { done[0] = true; o.notifyAll(); } }); t.start(); synchronized (o) { while (!done[0]) o.wait(100); } t.join(); }
    static void monitorReentered() { Object o = new Object(); synchronized (o) { synchronized (o) { o.notify(); } o.notify(); } }
    static void semaphores() throws Exception { Semaphore s = new Semaphore(0); s.release(); s.acquire(); s.release(3); s.drainPermits(); }
    static void latches() throws Exception { CountDownLatch l = new CountDownLatch(1); l.countDown(); l.countDown(); l.await(); CyclicBarrier b = new CyclicBarrier(1); b.await(); b.reset(); b.await(); }
    static void phasers() { Phaser p = new Phaser(1); p.register(); p.arriveAndDeregister(); p.arriveAndDeregister(); }
    static void exchangers() throws Exception { Exchanger<String> e = new Exchanger<>(); Thread t = new Thread(() -> { try { e.exchange("a"); } catch (InterruptedException x) { } }); t.start(); e.exchange("b"); t.join(); }
    static void futures() throws Exception { CompletableFuture<Integer> f = CompletableFuture.supplyAsync(() -> 1); f.thenApply(i -> i + 1).join(); f.complete(3); f.cancel(true); }
    static void futureCancelled() { FutureTask<Integer> t = new FutureTask<>(() -> 1); t.cancel(true); t.run(); t.isDone(); }
    static void executorTasks() throws Exception { ExecutorService e = Executors.newFixedThreadPool(2); e.invokeAll(List.of(() -> 1, () -> 2)); e.invokeAny(List.of(() -> 1)); e.shutdown(); e.isShutdown(); e.awaitTermination(1, TimeUnit.SECONDS); e.shutdown(); }
    static void executorCompletion() throws Exception { ExecutorService e = Executors.newCachedThreadPool(); CompletionService<Integer> c = new ExecutorCompletionService<>(e); c.submit(() -> 1); c.take().get(); e.shutdownNow(); }
    static void forkJoin() { ForkJoinPool p = new ForkJoinPool(2); p.invoke(ForkJoinTask.adapt(() -> 1)); p.shutdown(); }
    static void scheduledTasks() throws Exception { ScheduledExecutorService s = Executors.newSingleThreadScheduledExecutor(); s.scheduleAtFixedRate(() -> { }, 0, 1, TimeUnit.MILLISECONDS); Thread.sleep(5); s.shutdown(); }
    static void threadLocals() { ThreadLocal<List<String>> t = ThreadLocal.withInitial(ArrayList::new); t.get().add("x"); t.remove(); t.get(); }
    @Legal("ThreadConfiguredLate, ThreadStartedTwice")
    static void threadsJoined() throws Exception { List<Thread> all = new ArrayList<>(); for (int i = 0; i < 3; i++) { Thread t = new Thread(() -> { }); all.add(t); t.start(); } for (Thread t : all) t.join(); }
    static void threadDaemonBeforeStart() throws Exception { Thread t = new Thread(() -> { }); t.setDaemon(true); t.setName("x"); t.start(); t.join(); t.setName("y"); }
    static void runnableRun() { Runnable r = () -> { }; r.run(); r.run(); }
    @Legal("TimerTaskRescheduled")
    static void timers() throws Exception { java.util.Timer t = new java.util.Timer(true); CountDownLatch l = new CountDownLatch(2); t.schedule(new TimerTask() { @Override public void run() { l.countDown(); } }, 0, 1); l.await(); t.cancel(); }
    @Legal("TimerCancelled, TimerTaskRescheduled")
    static void timerTaskCancelsItself() throws Exception { java.util.Timer t = new java.util.Timer(true); CountDownLatch l = new CountDownLatch(1); t.schedule(new TimerTask() { @Override public void run() { cancel(); l.countDown(); } }, 0); l.await(); t.purge(); t.cancel(); }
    @Legal("TimerCancelled")
    static void timerWrongDelay() { java.util.Timer t = new java.util.Timer(true); try { t.schedule(new TimerTask() { @Override public void run() { } }, -1); } catch (IllegalArgumentException expected) { } t.cancel(); }
    static void matcherLoop() { Matcher m = Pattern.compile("(\\d)(\\w)?").matcher("1a 2"); while (m.find()) { m.group(1); m.group(2); m.start(); m.end(2); } }
    static void matcherAppend() { Matcher m = Pattern.compile("a").matcher("banana"); StringBuilder b = new StringBuilder(); while (m.find()) m.appendReplacement(b, "o"); m.appendTail(b); }
    @Legal("MatcherMatch")
    static void matcherReused() { Matcher m = Pattern.compile("a").matcher("x"); m.find(); m.reset("a"); m.matches(); m.group(); m.usePattern(Pattern.compile(".")); m.lookingAt(); m.group(); }
    static void matcherReplaces() { Matcher m = Pattern.compile("a").matcher("aa"); m.replaceAll(r -> r.group() + "!"); m.replaceFirst("x"); m.results().count(); }
    static void matcherRegion() { Matcher m = Pattern.compile("a").matcher("ba"); m.region(1, 2); if (m.matches()) m.group(); m.find(0); m.toMatchResult(); }
    static void splits() { Pattern.compile(",").split("a,b"); Pattern.compile(",").splitAsStream("a,b").count(); "a,b".split(","); }
    static void formatted() { new Formatter().format("%s", 1).close(); String.format("%s", List.of()); }
    @Legal("ProcessRunning")
    static void processInput() throws Exception { Process p = new ProcessBuilder("cat").start(); try (OutputStream o = p.getOutputStream()) { o.write(1); } p.getInputStream().read(); p.waitFor(); }
    @Legal("UrlConnectionLate")
    static void urlReads() throws IOException { URL u = file().toUri().toURL(); try (InputStream in = u.openStream()) { in.read(); } URLConnection c = u.openConnection(); c.setUseCaches(false); c.connect(); c.getLastModified(); c.getInputStream().close(); }
    static void serialised() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (ObjectOutputStream o = new ObjectOutputStream(b)) { o.writeObject(new ArrayList<>(letters())); o.flush(); } try (ObjectInputStream i = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray()))) { ((List<?>) i.readObject()).clear(); } }
    static void clonedCollections() { ArrayList<String> l = new ArrayList<>(letters()); for (Object o : (List<?>) l.clone()) l.remove(o); HashMap<String, Integer> m = new HashMap<>(numbers()); for (Object k : ((Map<?, ?>) m.clone()).keySet()) m.remove(k); }
    static void preferences() { Properties p = new Properties(); p.setProperty("a", "b"); for (String n : p.stringPropertyNames()) p.setProperty(n + n, "x"); p.forEach((k, v) -> { }); }
    static void resourceBundle() { ListResourceBundle r = new ListResourceBundle() { @Override protected Object[][] getContents() { return new Object[][] {{"k", "v"}}; } }; for (Enumeration<String> e = r.getKeys(); e.hasMoreElements(); ) r.getString(e.nextElement()); }
    @Legal("OptionalGet")
    static void serviceLoader() { for (Object o : ServiceLoader.load(Runnable.class)) o.hashCode(); ServiceLoader.load(Runnable.class).findFirst().isPresent(); }
    static void recursionOverTree() { List<Object> tree = new ArrayList<>(List.of(new ArrayList<Object>(List.of(1)), 2)); walk(tree); }
    private static void walk(List<?> tree) { for (Object o : tree) if (o instanceof List) walk((List<?>) o); }
    static void listenersAddedLater() { List<Runnable> all = new CopyOnWriteArrayList<>(); all.add(() -> all.add(() -> { })); for (Runnable r : all) r.run(); }
    static void deferredRemoval() { List<String> l = letters(); List<String> gone = new ArrayList<>(); for (String s : l) if (s.compareTo("c") < 0) gone.add(s); l.removeAll(gone); }
    static void labelledBreak() { Map<String, List<String>> m = new HashMap<>(Map.of("x", letters())); outer: for (List<String> l : m.values()) for (String s : l) if (s.equals("b")) { l.remove(s); m.clear(); break outer; } }
    static void exceptionLeavesLoop() { List<String> l = letters(); try { for (String s : l) { l.add(s); throw new IllegalArgumentException(); } } catch (IllegalArgumentException expected) { l.clear(); } }
    static void iteratorHandedOn() { List<String> l = letters(); Iterator<String> i = l.iterator(); drop(i); drop(i); }
    private static void drop(Iterator<String> i) { i.next(); i.remove(); }
    static void generated() { Iterator<Integer> i = Stream.generate(() -> 1).limit(2).iterator(); i.next(); i.next(); i.hasNext(); }
    static void setOfSets() { Set<Set<String>> s = new HashSet<>(); Set<String> inner = new HashSet<>(letters()); s.add(Set.copyOf(inner)); inner.add("x"); s.contains(inner); }
    static void identitySet() { Set<List<String>> s = Collections.newSetFromMap(new IdentityHashMap<>()); List<String> l = letters(); s.add(l); l.add("x"); s.contains(l); }
}
