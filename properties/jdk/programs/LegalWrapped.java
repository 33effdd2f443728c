import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;
import javax.crypto.*;
import javax.crypto.spec.*;

/** Objects below and above others: what looks forbidden for one of them, and is not. */
final class LegalWrapped {
    static Path file() throws IOException { Path path = Files.createTempFile("wrapped", ".txt"); path.toFile().deleteOnExit(); return Files.writeString(path, "one\ntwo\nthree\n"); }
    static List<Integer> list() { return new ArrayList<>(List.of(1, 2, 3)); }
    static Path archive() throws IOException { Path p = file(); try (ZipOutputStream z = new ZipOutputStream(Files.newOutputStream(p))) { z.putNextEntry(new ZipEntry("a")); z.write(1); z.putNextEntry(new ZipEntry("b")); } return p; }
    static void join(Thread t) throws InterruptedException { t.start(); t.join(); }

    // Wrappers of collections.
    @Legal("IteratorComodification")
    static void betweenLoopsOfAView() { List<Integer> l = list(), v = Collections.unmodifiableList(l); for (int x : v) { } l.add(4); for (int x : v) { } Iterator<Integer> i = v.iterator(); l.clear(); i = v.iterator(); i.hasNext(); }
    @Legal("IteratorComodification")
    static void parts() { List<Integer> l = list(), s = l.subList(0, 3), t = s.subList(0, 2); for (int x : t) { } t.add(9); for (int x : t) { } for (int x : s) { } t.clear(); s.add(1); for (int x : s) { } }
    @Legal("IteratorComodification")
    static void setThroughViews() { List<Integer> l = list(); ListIterator<Integer> i = l.subList(0, 3).listIterator(); while (i.hasNext()) { int x = i.next(); l.set(0, x); i.set(x + 1); } Collections.checkedList(l, Integer.class).replaceAll(x -> x + 1); for (int x : l) l.set(1, x); }
    @Legal("IteratorComodification")
    static void addThroughIterator() { ListIterator<Integer> i = Collections.checkedList(list(), Integer.class).listIterator(); while (i.hasNext()) { i.next(); i.add(0); } while (i.hasPrevious()) { i.previous(); i.remove(); } }
    @Legal("IteratorComodification")
    static void concurrentBelow() { Set<Integer> s = Collections.newSetFromMap(new ConcurrentHashMap<>()); s.add(1); for (int x : s) if (x < 9) s.add(x + 1); Collection<Integer> c = Collections.unmodifiableCollection(s); for (int x : c) s.remove(x); List<Integer> w = Collections.synchronizedList(new CopyOnWriteArrayList<>(list())); synchronized (w) { for (int x : w) w.add(x); } }
    @Legal("MapViewComodification")
    static void valuesOnly() { Map<Integer, Integer> m = Collections.synchronizedMap(new LinkedHashMap<>(Map.of(1, 1, 2, 2))); synchronized (m) { for (int k : m.keySet()) m.put(k, 9); for (Map.Entry<Integer, Integer> e : m.entrySet()) e.setValue(3); m.replaceAll((k, v) -> k); } }
    @Legal("MapViewComodification")
    static void subMaps() { TreeMap<Integer, Integer> m = new TreeMap<>(Map.of(1, 1, 5, 5)); for (int k : new ArrayList<>(m.headMap(3).keySet())) m.put(k + 1, 2); for (Iterator<Integer> i = m.descendingMap().keySet().iterator(); i.hasNext(); ) { i.next(); i.remove(); } m.put(1, 1); m.navigableKeySet().pollFirst(); }
    @Legal("MapViewComodification")
    static void enumMaps() { Map<TimeUnit, Integer> m = new EnumMap<>(TimeUnit.class); m.put(TimeUnit.DAYS, 1); for (TimeUnit u : m.keySet()) { m.put(TimeUnit.HOURS, 1); m.remove(TimeUnit.DAYS); } Map<TimeUnit, Integer> v = Collections.unmodifiableMap(m); for (Map.Entry<TimeUnit, Integer> e : v.entrySet()) m.put(TimeUnit.SECONDS, 2); }
    @Legal("MapViewComodification")
    static void removedThroughIterator() { Map<Integer, Integer> m = Collections.checkedMap(new HashMap<>(Map.of(1, 1, 2, 2)), Integer.class, Integer.class); for (Iterator<Map.Entry<Integer, Integer>> i = m.entrySet().iterator(); i.hasNext(); ) { i.next(); i.remove(); } m.values().removeIf(x -> true); m.keySet().retainAll(Set.of()); }
    @Legal("TraversalComodification")
    static void computeOther() { Map<Integer, Integer> m = new HashMap<>(), n = new HashMap<>(); m.computeIfAbsent(1, k -> n.computeIfAbsent(2, j -> 3)); m.forEach((k, v) -> n.put(v, k)); ConcurrentMap<Integer, Integer> c = new ConcurrentHashMap<>(m); c.forEach((k, v) -> c.remove(k)); }
    @Legal("TraversalComodification")
    static void partBeforeAndAfter() { List<Integer> l = list(), s = l.subList(0, 2); s.sort(null); l.set(0, 5); s.size(); l.sort(null); l.subList(0, 2).forEach(x -> l.set(0, x)); }
    @Legal("ImmutableCollection")
    static void noChange() { Collections.unmodifiableList(list()).equals(list()); List.of(1).contains(1); Arrays.asList(1, 2).set(0, 3); Collections.nCopies(2, 1).iterator().next(); Arrays.asList(3, 1).sort(null); Arrays.asList(1).replaceAll(x -> 2); }
    @Legal("ImmutableCollection")
    static void functionRefuses() { List<Integer> l = list(); try { l.removeIf(x -> { throw new UnsupportedOperationException(); }); } catch (UnsupportedOperationException e) { } try { new HashMap<>(Map.of(1, 1)).entrySet().removeIf(e -> { throw new UnsupportedOperationException(); }); } catch (UnsupportedOperationException e) { } try { Collections.unmodifiableMap(Map.of(1, 1)).forEach((k, v) -> { throw new UnsupportedOperationException(); }); } catch (UnsupportedOperationException e) { } }
    @Legal("CollectionEmpty")
    static void emptyViews() { Deque<Integer> d = new ArrayDeque<>(); d.pollFirst(); d.peekLast(); Collections.asLifoQueue(d).poll(); new TreeSet<Integer>().pollFirst(); new TreeMap<Integer, Integer>().firstEntry(); new TreeSet<>(List.of(1)).headSet(0).size(); new PriorityQueue<Integer>().peek(); }
    @Legal("QueueFull")
    static void offeredOnly() throws InterruptedException { Queue<Integer> q = Collections.checkedQueue(new ArrayBlockingQueue<>(1), Integer.class); q.add(1); q.offer(2); q.poll(); q.add(3); BlockingDeque<Integer> d = new LinkedBlockingDeque<>(1); d.push(1); d.offerFirst(2, 1, TimeUnit.MILLISECONDS); d.pop(); d.addLast(1); }
    @Legal("IteratorExhausted")
    static void askedFirst() { for (Iterator<Integer> i : List.of(Collections.unmodifiableList(list()).iterator(), Collections.<Integer>emptyIterator(), Stream.of(1).iterator(), list().subList(1, 2).iterator())) while (i.hasNext()) i.next(); Iterator<Integer> i = list().iterator(); i.next(); i.next(); i.next(); i.forEachRemaining(x -> { }); }
    @Legal("IteratorExhausted")
    static void grownAgain() { List<Integer> l = list(); ListIterator<Integer> i = l.listIterator(3); if (!i.hasNext()) { i.add(7); i.previous(); i.next(); } Iterator<Integer> q = new LinkedBlockingQueue<Integer>().iterator(); q.hasNext(); }
    @Legal("IteratorRemove")
    static void removedOnceEach() { for (Collection<Integer> c : List.of(Collections.checkedList(list(), Integer.class), list().subList(0, 2), new ArrayDeque<>(list()), new PriorityQueue<>(list()), new ConcurrentSkipListSet<>(list()))) for (Iterator<Integer> i = c.iterator(); i.hasNext(); ) { i.next(); i.remove(); } }

    @Legal("IteratorExhausted")
    static void predicateRefuses() { Iterator<Integer> i = new Guarded<>(list().iterator(), x -> { GuardPreconditions.checkElement(x > 9); return true; }); try { i.next(); } catch (NoSuchElementException e) { } i.hasNext(); i.remove(); }

    // Streams and readers.
    @Legal("InputStreamClosed")
    static void closedTwice() throws IOException { InputStream f = new FileInputStream(file().toFile()), b = new BufferedInputStream(f); b.read(); b.close(); f.close(); b.close(); new ByteArrayInputStream(new byte[1]) { { close(); } }.read(); InputStream n = InputStream.nullInputStream(); n.close(); new ByteArrayInputStream(new byte[0]).close(); }
    @Legal("InputStreamClosed")
    static void shielded() throws IOException { InputStream f = new ByteArrayInputStream(new byte[9]); FilterInputStream s = new FilterInputStream(f) { @Override public void close() { } }; try (s) { s.read(); } s.read(); SequenceInputStream q = new SequenceInputStream(f, new ByteArrayInputStream(new byte[1])); while (q.read() >= 0) { } q.close(); q.read(); }
    @Legal("InputStreamClosed")
    static void membersOfAnArchive() throws IOException { try (ZipInputStream z = new ZipInputStream(Files.newInputStream(archive()))) { while (z.getNextEntry() != null) { new FilterInputStream(z) { @Override public void close() throws IOException { z.closeEntry(); } }.close(); z.read(); } z.getNextEntry(); z.read(); z.closeEntry(); } }
    @Legal("InputStreamClosed")
    static void concatenated() throws IOException { ByteArrayOutputStream b = new ByteArrayOutputStream(); for (int i = 0; i < 2; i++) try (OutputStream g = new GZIPOutputStream(new FilterOutputStream(b) { @Override public void close() { } })) { g.write(i); } try (InputStream g = new GZIPInputStream(new ByteArrayInputStream(b.toByteArray()))) { g.readAllBytes(); g.read(); } }
    @Legal("ReaderClosed")
    static void readersOfText() throws IOException { Reader c = new CharArrayReader("a".toCharArray()); c.read(); c.close(); c.close(); try (BufferedReader b = Files.newBufferedReader(file())) { b.lines().forEach(x -> { }); b.ready(); b.readLine(); } Reader n = Reader.nullReader(); n.close(); n.close(); }
    @Legal("WriterClosed")
    static void writersOfText() throws IOException { StringWriter s = new StringWriter(); s.close(); s.write("a"); s.flush(); CharArrayWriter c = new CharArrayWriter(); c.close(); c.write("b"); PrintWriter p = new PrintWriter(s); p.close(); p.print("x"); p.checkError(); Writer w = new BufferedWriter(s); w.close(); w.close(); }
    @Legal("OutputStreamClosed")
    static void outputsClosedTwice() throws IOException { OutputStream b = new ByteArrayOutputStream(); b.close(); b.write(1); PrintStream p = new PrintStream(Files.newOutputStream(file())); p.close(); p.println(1); p.checkError(); OutputStream o = new BufferedOutputStream(Files.newOutputStream(file())); o.write(1); o.close(); o.close(); DeflaterOutputStream d = new DeflaterOutputStream(b); d.finish(); d.finish(); d.close(); d.close(); }
    @Legal("ScannerClosed")
    static void askedAfterClose() throws IOException { Scanner s = new Scanner(file()); s.close(); s.ioException(); s.delimiter(); s.locale(); s.radix(); s.close(); s.toString(); }
    @Legal("ScannerExhausted")
    static void scannedToTheEnd() throws IOException { Scanner s = new Scanner(file()); while (s.hasNextLine()) s.nextLine(); s.hasNext(); s.findInLine("x"); s.findWithinHorizon("x", 0); s.close(); Scanner t = new Scanner("a 1"); if (!t.hasNextInt()) t.next(); t.nextInt(); t.hasNext(); }
    @Legal("FormatterClosed")
    static void formatterAfterClose() { Formatter f = new Formatter(new StringBuilder()); f.format("%d", 1); f.close(); f.close(); f.ioException(); }
    @Legal("MarkReset")
    static void markedThroughWrappers() throws IOException { InputStream b = new BufferedInputStream(Files.newInputStream(file())); b.mark(9); b.read(); b.reset(); b.reset(); new DataInputStream(b).reset(); b.close(); new ByteArrayInputStream(new byte[1]).reset(); Reader r = new BufferedReader(new StringReader("abc")); r.mark(2); r.read(); r.reset(); r.close(); }
    @Legal("StreamReused")
    static void streamsOnce() { Supplier<Stream<Integer>> s = () -> Stream.of(1, 2); s.get().map(x -> x).close(); try (Stream<Integer> t = s.get().onClose(() -> { })) { t.count(); } Stream<Integer> u = s.get(); u.isParallel(); u.parallel().sequential().count(); u.isParallel(); u.close(); u.close(); Iterator<Integer> i = s.get().iterator(); i.next(); i.next(); Stream.concat(s.get(), s.get()).flatMap(x -> Stream.of(x, x)).toList(); }

    @Legal("WrappedClosed")
    static void closedInAnyOrder() throws IOException { InputStream f = new FileInputStream(file().toFile()); BufferedInputStream b = new BufferedInputStream(f); b.read(); f.close(); b.close(); f.close(); try (InputStream g = Files.newInputStream(file()); Reader r = new InputStreamReader(g); BufferedReader s = new BufferedReader(r)) { s.readLine(); } OutputStream o = Files.newOutputStream(file()); Writer w = new BufferedWriter(new OutputStreamWriter(o)); w.write("a"); w.close(); o.close(); }
    @Legal("WrappedClosed")
    static void closedWithoutEffect() throws IOException { InputStream f = new ByteArrayInputStream(new byte[9]); DataInputStream d = new DataInputStream(f); f.close(); d.readInt(); ByteArrayOutputStream o = new ByteArrayOutputStream(); Writer w = new OutputStreamWriter(o); o.close(); w.write("a"); w.flush(); w.close(); try (InputStream g = new FileInputStream(file().toFile())) { BufferedInputStream b = new BufferedInputStream(g) { @Override public void close() { } }; DataInputStream e = new DataInputStream(b); b.close(); e.readByte(); } }
    @Legal("WrappedClosed")
    static void readAhead() throws IOException { Reader f = new FileReader(file().toFile()); BufferedReader b = new BufferedReader(f); b.readLine(); f.close(); b.readLine(); }
    @Legal("WrappedClosed")
    static void endedWhileReading() throws Exception { try (ServerSocket s = new ServerSocket(0); Socket c = new Socket(s.getInetAddress(), s.getLocalPort()); Socket a = s.accept()) { InputStream i = c.getInputStream(); BufferedInputStream b = new BufferedInputStream(i); Thread t = new Thread(() -> { try { b.read(); } catch (IOException e) { } }); t.start(); Thread.sleep(50); i.close(); t.join(); } }
    @Legal("ChannelSourceClosed")
    static void positionOfFile() throws IOException { try (RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw")) { FileChannel c = f.getChannel(); c.position(1); f.read(); c.size(); } try (FileChannel c = FileChannel.open(file()); InputStream i = Channels.newInputStream(c)) { i.read(); c.size(); } }
    @Legal("ChannelSourceClosed")
    static void channelThenFile() throws IOException { FileInputStream f = new FileInputStream(file().toFile()); FileChannel c = f.getChannel(); c.close(); f.close(); c.isOpen(); ByteArrayOutputStream o = new ByteArrayOutputStream(); WritableByteChannel w = Channels.newChannel(o); o.close(); w.write(ByteBuffer.allocate(1)); }

    // Channels, archives and systems.
    @Legal("ChannelClosed")
    static void channelAfterClose() throws IOException { FileChannel c = FileChannel.open(file()); MappedByteBuffer m = c.map(FileChannel.MapMode.READ_ONLY, 0, 3); c.close(); c.close(); c.isOpen(); m.get(); RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.getChannel().close(); f.close(); FileInputStream i = new FileInputStream(file().toFile()); FileChannel d = i.getChannel(); d.size(); i.close(); d.close(); d.isOpen(); }
    @Legal("ChannelClosed")
    static void endedByAnother() throws Exception { ServerSocketChannel s = ServerSocketChannel.open().bind(null); Thread t = new Thread(() -> { try { s.accept(); } catch (AsynchronousCloseException e) { } catch (IOException e) { } }); t.start(); while (t.getState() == Thread.State.NEW) Thread.yield(); Thread.sleep(50); s.close(); t.join(); }
    @Legal("ChannelClosed")
    static void interruptedChannel() throws Exception { FileChannel c = FileChannel.open(file()); Thread t = new Thread(() -> { Thread.currentThread().interrupt(); try { c.read(ByteBuffer.allocate(1)); } catch (ClosedByInterruptException e) { } catch (IOException e) { } }); join(t); c.isOpen(); c.close(); }
    @Legal("ServerSocketClosed")
    static void acceptEnded() throws Exception { ServerSocket s = new ServerSocket(0); Thread t = new Thread(() -> { try { while (true) s.accept().close(); } catch (IOException e) { } }); t.start(); Thread.sleep(50); s.close(); t.join(); s.isClosed(); s.getLocalPort(); s.isBound(); }
    @Legal("SocketClosed")
    static void askedClosedSocket() throws Exception { try (ServerSocket s = new ServerSocket(0)) { Socket c = new Socket(s.getInetAddress(), s.getLocalPort()); c.close(); c.close(); c.isClosed(); c.isConnected(); c.getPort(); c.getInetAddress(); c.getLocalPort(); c.isInputShutdown(); c.getRemoteSocketAddress(); } }
    @Legal("SocketStreamClosed")
    static void readerEnded() throws Exception { try (ServerSocket s = new ServerSocket(0); Socket c = new Socket(s.getInetAddress(), s.getLocalPort()); Socket a = s.accept()) { InputStream i = c.getInputStream(); Thread t = new Thread(() -> { try { while (i.read() >= 0) { } } catch (IOException e) { } }); t.start(); Thread.sleep(50); c.close(); t.join(); } }
    @Legal("WatchServiceClosed")
    static void watcherEnded() throws Exception { WatchService w = FileSystems.getDefault().newWatchService(); Thread t = new Thread(() -> { try { while (true) w.take().reset(); } catch (ClosedWatchServiceException | InterruptedException e) { } }); t.start(); Thread.sleep(50); w.close(); t.join(); w.close(); }
    @Legal("SelectorClosed")
    static void selectorEnded() throws Exception { Selector s = Selector.open(); Thread t = new Thread(() -> { try { s.select(); s.isOpen(); } catch (ClosedSelectorException | IOException e) { } }); t.start(); Thread.sleep(50); s.close(); t.join(); s.close(); s.isOpen(); }
    @Legal("SelectionKeyCancelled")
    static void keyAfterCancel() throws Exception { try (Selector s = Selector.open(); SocketChannel c = SocketChannel.open()) { c.configureBlocking(false); SelectionKey k = c.register(s, 0); k.attach("a"); k.cancel(); k.cancel(); k.isValid(); k.channel(); k.selector(); k.attachment(); s.selectNow(); c.register(s, SelectionKey.OP_CONNECT).interestOps(0); } }
    @Legal("ZipFileClosed")
    static void archiveAfterClose() throws IOException { ZipFile z = new ZipFile(archive().toFile()); List<ZipEntry> l = new ArrayList<>(Collections.list(z.entries())); z.close(); z.close(); z.getName(); l.get(0).getSize(); z.toString(); }
    @Legal("FileSystemClosed")
    static void systemAfterClose() throws Exception { FileSystem s = FileSystems.newFileSystem(archive()); Path a = s.getPath("/a"); Files.size(a); s.close(); s.close(); s.isOpen(); a.getFileName(); a.toString(); a.resolve("b"); a.normalize(); }
    @Legal("DirectoryStreamReused")
    static void directoryAfterClose() throws IOException { Path d = Files.createTempDirectory("wrapped"); d.toFile().deleteOnExit(); DirectoryStream<Path> s = Files.newDirectoryStream(d); Iterator<Path> i = s.iterator(); s.close(); i.hasNext(); s.close(); }
    @Legal("RandomAccessFileClosed")
    static void randomAccess() throws IOException { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); f.seek(99); f.read(); f.setLength(2); f.readLine(); f.close(); f.close(); f.getChannel().isOpen(); }
    @Legal("ProcessRunning")
    static void processes() throws Exception { Process p = new ProcessBuilder("true").start(); p.onExit().thenAccept(Process::exitValue).join(); p.exitValue(); p.isAlive(); p.destroy(); Process q = new ProcessBuilder("true").start(); if (q.waitFor(20, TimeUnit.SECONDS)) q.exitValue(); }

    // Threads, locks and executors.
    @Legal("ThreadStartedTwice")
    static void threadsOnce() throws Exception { Thread t = new Thread(() -> { }); t.setDaemon(true); join(t); t.join(); t.interrupt(); t.setName("x"); t.setPriority(3); new Thread(t).start(); t.isDaemon(); new Thread(() -> { }).join(1); }
    @Legal("LockUnlock")
    static void stampedViews() { StampedLock l = new StampedLock(); Lock r = l.asReadLock(); r.lock(); r.unlock(); long s = l.tryOptimisticRead(); l.validate(s); s = l.readLock(); long w = l.tryConvertToWriteLock(s); l.unlock(w != 0 ? w : s); ReadWriteLock v = l.asReadWriteLock(); v.writeLock().lock(); v.writeLock().unlock(); if (l.asWriteLock().tryLock()) l.tryUnlockWrite(); }
    @Legal("LockUnlock")
    static void downgraded() { ReentrantReadWriteLock l = new ReentrantReadWriteLock(); l.writeLock().lock(); l.readLock().lock(); l.writeLock().unlock(); l.readLock().unlock(); ReentrantLock a = new ReentrantLock(); a.lock(); a.lock(); a.unlock(); a.unlock(); if (a.isHeldByCurrentThread()) a.unlock(); }
    @Legal("ConditionLock")
    static void conditions() throws Exception { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); l.lock(); try { c.awaitNanos(1); c.signalAll(); l.hasWaiters(c); } finally { l.unlock(); } ReentrantReadWriteLock r = new ReentrantReadWriteLock(); Condition d = r.writeLock().newCondition(); r.writeLock().lock(); try { d.signal(); } finally { r.writeLock().unlock(); } }
    @Legal("WaitNotify")
    static void monitors() throws Exception { int[] a = {1}; synchronized (a) { a.notifyAll(); a.wait(1); } synchronized (LegalWrapped.class) { LegalWrapped.class.notify(); } List<Integer> s = Collections.synchronizedList(list()); synchronized (s) { s.wait(1); } }
    @Legal("ExecutorAfterShutdown")
    static void policies() throws Exception { ThreadPoolExecutor e = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy()); e.shutdown(); e.execute(() -> { }); CompletableFuture.runAsync(() -> { }, e); e.awaitTermination(1, TimeUnit.SECONDS); e.shutdown(); e.isTerminated(); ExecutorService full = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new SynchronousQueue<>()); CountDownLatch over = new CountDownLatch(1); full.execute(() -> { try { over.await(); } catch (InterruptedException x) { } }); try { CompletableFuture.runAsync(() -> { }, full); } catch (RejectedExecutionException x) { } try { new ExecutorCompletionService<Integer>(full).submit(() -> 1); } catch (RejectedExecutionException x) { } over.countDown(); full.shutdown(); }
    @Legal("TimerCancelled")
    static void timers() { Timer t = new Timer(true); TimerTask a = new TimerTask() { @Override public void run() { } }; t.schedule(a, 100_000); a.cancel(); a.cancel(); t.purge(); t.cancel(); t.cancel(); a.scheduledExecutionTime(); }
    @Legal("PhaserParties")
    static void phasers() { Phaser p = new Phaser(1); p.register(); p.arriveAndDeregister(); p.arrive(); p.arriveAndDeregister(); p.isTerminated(); p.arrive(); p.register(); p.forceTermination(); }

    // Buffers, coders and others.
    @Legal("BufferMisused")
    static void views() { ByteBuffer b = ByteBuffer.allocate(8); b.asIntBuffer().put(1).put(2); b.putInt(1).flip(); b.getInt(); b.compact(); b.clear().mark(); b.get(); b.reset(); ByteBuffer d = b.duplicate(); d.position(8); d.hasRemaining(); ByteBuffer r = b.asReadOnlyBuffer(); if (r.hasArray()) r.array(); r.get(0); r.slice().get(); CharBuffer.wrap("abc").subSequence(1, 2).get(); CharBuffer.allocate(2).append("ab").flip(); }
    @Legal("CharsetCoder")
    static void coders() throws Exception { CharsetEncoder e = StandardCharsets.UTF_8.newEncoder(); e.encode(CharBuffer.wrap("a")); e.canEncode('b'); e.encode(CharBuffer.wrap("b")); ByteBuffer o = ByteBuffer.allocate(9); e.reset(); e.encode(CharBuffer.wrap("c"), o, false); e.encode(CharBuffer.wrap("d"), o, true); e.encode(CharBuffer.wrap(""), o, true); e.flush(o); e.flush(o); e.reset(); }
    @Legal("MatcherMatch")
    static void matchers() { Matcher m = Pattern.compile("a(b)?").matcher("ab a"); while (m.find()) { m.group(1); m.start(); } m.reset(); m.hitEnd(); m.groupCount(); m.replaceAll(r -> r.group() + r.start()); m.results().forEach(MatchResult::group); m.reset("a").lookingAt(); MatchResult k = m.toMatchResult(); m.reset(); k.group(); m.usePattern(Pattern.compile("x")).find(); m.region(0, 1).matches(); }
    @Legal("CipherInit")
    static void ciphers() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.getBlockSize(); c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES")); c.update(new byte[3]); c.doFinal(); c.doFinal(new byte[1]); c.update(new byte[16]); Mac m = Mac.getInstance("HmacSHA256"); m.getMacLength(); m.init(new SecretKeySpec(new byte[1], "x")); m.update((byte) 1); m.doFinal(); m.update((byte) 2); m.reset(); m.doFinal(); try (CipherOutputStream o = new CipherOutputStream(new ByteArrayOutputStream(), c)) { o.write(1); o.close(); o.flush(); } }
    @Legal("DeflaterEnded")
    static void deflatersEnded() throws IOException { Deflater d = new Deflater(); d.end(); d.end(); Deflater own = new Deflater(); DeflaterOutputStream o = new DeflaterOutputStream(new ByteArrayOutputStream(), own); o.write(1); o.close(); own.reset(); own.getTotalIn(); own.end(); Inflater i = new Inflater(); i.finished(); i.needsInput(); i.end(); }
    @Legal("ObjectStreamInactive")
    static void objects() throws Exception { class Node implements Serializable { Object next = "a"; private void writeObject(ObjectOutputStream o) throws IOException { o.defaultWriteObject(); o.writeObject(new ArrayList<>()); } private void readObject(ObjectInputStream i) throws IOException, ClassNotFoundException { i.registerValidation(() -> { }, 0); i.defaultReadObject(); i.readObject(); } } ByteArrayOutputStream b = new ByteArrayOutputStream(); ObjectOutputStream o = new ObjectOutputStream(b); o.useProtocolVersion(ObjectStreamConstants.PROTOCOL_VERSION_2); o.writeInt(1); o.writeObject(new Date()); o.reset(); o.close(); new ObjectInputStream(new ByteArrayInputStream(b.toByteArray())).readInt(); }
    @Legal("OptionalGet")
    static void optionals() { try { Optional.empty().orElseThrow(NoSuchElementException::new); } catch (NoSuchElementException e) { } Optional.empty().or(() -> Optional.of(1)).get(); OptionalInt.empty().orElse(1); Optional.of(1).filter(x -> false).ifPresent(x -> { }); IntStream.empty().max().isEmpty(); Optional.ofNullable(null).stream().count(); }
    @Legal("CauseSetTwice")
    static void causes() { Exception e = new Exception("a"); e.initCause(new Exception()); e.addSuppressed(new Exception()); Throwable t = new AssertionError("b").initCause(e); t.getCause(); }
    @Legal("EnumerationExhausted")
    static void enumerations() { Enumeration<Integer> e = new Vector<>(list()).elements(); while (e.hasMoreElements()) e.nextElement(); e.hasMoreElements(); Collections.list(Collections.enumeration(list())); StringTokenizer t = new StringTokenizer("a b"); while (t.hasMoreTokens()) t.nextToken(); t.countTokens(); new Hashtable<>(Map.of(1, 2)).keys().asIterator().forEachRemaining(x -> { }); }
    @Legal("BuilderMisused")
    static void builders() { Stream.Builder<Integer> b = Stream.builder(); b.add(1).accept(2); b.build().count(); new Calendar.Builder().setDate(2000, 1, 1).setTimeOfDay(1, 2, 3).build(); new Calendar.Builder().setInstant(0).setTimeZone(TimeZone.getDefault()).build(); }
    @Legal("FutureResult")
    static void futures() throws Exception { CompletableFuture<Integer> f = new CompletableFuture<>(); f.completeExceptionally(new IOException()); f.isCompletedExceptionally(); f.exceptionally(x -> 1).get(); FutureTask<Integer> t = new FutureTask<>(() -> 1); t.run(); t.get(); f.cancel(true); }
    @Legal("PublisherClosed")
    static void publishers() { SubmissionPublisher<Integer> p = new SubmissionPublisher<>(Runnable::run, 4); p.submit(1); p.close(); p.close(); p.isClosed(); p.getNumberOfSubscribers(); p.closeExceptionally(new IOException()); }
    @Legal("UrlConnectionLate")
    static void connections() throws Exception { URLConnection c = file().toUri().toURL().openConnection(); c.setUseCaches(false); c.setDoInput(true); c.getContentLengthLong(); try (InputStream i = c.getInputStream()) { i.read(); } c.getDoInput(); c.getUseCaches(); c.connect(); c.getLastModified(); }
}
