import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.Stream;

/** More uses that throw, as the documentation says. */
final class ThrowsMore {
    static Path file() throws IOException {
        Path path = Files.createTempFile("throws", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "text");
    }

    @Found("CollectionEmpty")
    static void queueRemove() { new LinkedList<String>().remove(); }
    @Found("CollectionEmpty")
    static void queueElement() { new PriorityQueue<String>().element(); }
    @Found("CollectionEmpty")
    static void dequeRemoveFirst() { new ArrayDeque<String>().removeFirst(); }
    @Found("CollectionEmpty")
    static void dequeGetLast() { new ArrayDeque<String>().getLast(); }
    @Found("CollectionEmpty")
    static void dequePop() { new ArrayDeque<String>().pop(); }
    @Found("CollectionEmpty")
    static void concurrentQueueRemove() { new ConcurrentLinkedQueue<String>().remove(); }
    @Found("CollectionEmpty")
    static void sortedSetFirst() { new TreeSet<String>().first(); }
    @Found("CollectionEmpty")
    static void sortedMapLastKey() { new TreeMap<String, String>().lastKey(); }
    @Found("CollectionEmpty")
    static void vectorFirst() { new Vector<String>().firstElement(); }
    @Found("CollectionEmpty")
    static void stackPop() { new Stack<String>().pop(); }
    @Found("CollectionEmpty")
    static void stackPeekAfterPop() { Stack<String> s = new Stack<>(); s.push("a"); s.pop(); s.peek(); }
    @Found("QueueFull")
    static void boundedAdd() { Queue<String> q = new ArrayBlockingQueue<>(1); q.add("a"); q.add("b"); }
    @Found("QueueFull")
    static void boundedAddFirst() { Deque<String> q = new LinkedBlockingDeque<>(1); q.addFirst("a"); q.addFirst("b"); }
    @Found("QueueFull")
    static void boundedPush() { Deque<String> q = new LinkedBlockingDeque<>(1); q.push("a"); q.push("b"); }
    @Found("QueueFull")
    static void synchronousAdd() { new SynchronousQueue<String>().add("a"); }
    @Found("ThreadConfiguredLate")
    static void daemonLate() throws Exception { CountDownLatch l = new CountDownLatch(1); Thread t = new Thread(() -> { try { l.await(); } catch (InterruptedException e) { } }); t.start(); try { t.setDaemon(true); } finally { l.countDown(); } }
    @Found("ProcessRunning")
    static void exitValueEarly() throws Exception { Process p = new ProcessBuilder("sleep", "5").start(); try { p.exitValue(); } finally { p.destroy(); } }
    @Found("FormatterClosed")
    static void formatClosed() { Formatter f = new Formatter(); f.close(); f.format("x"); }
    @Found("FormatterClosed")
    static void outClosed() { Formatter f = new Formatter(); f.close(); f.out(); }
    @Found("BufferMisused")
    static void underflow() { ByteBuffer b = ByteBuffer.allocate(1); b.put((byte) 1); b.get(); }
    @Found("BufferMisused")
    static void underflowInt() { ByteBuffer b = ByteBuffer.allocate(2); b.getInt(); }
    @Found("BufferMisused")
    static void overflow() { ByteBuffer b = ByteBuffer.allocate(1); b.put((byte) 1); b.put((byte) 2); }
    @Found("BufferMisused")
    static void overflowAfterFlip() { IntBuffer b = IntBuffer.allocate(3); b.flip(); b.put(1); }
    @Found("BufferMisused")
    static void resetUnmarked() { CharBuffer.allocate(1).reset(); }
    @Found("BufferMisused")
    static void readOnlyPut() { ByteBuffer.allocate(1).asReadOnlyBuffer().put((byte) 1); }
    @Found("BufferMisused")
    static void readOnlyArray() { ByteBuffer.allocate(1).asReadOnlyBuffer().array(); }
    @Found("ChannelState")
    static void readForWriting() throws IOException { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { c.read(ByteBuffer.allocate(1)); } }
    @Found("ChannelState")
    static void writeForReading() throws IOException { try (FileChannel c = FileChannel.open(file())) { c.write(ByteBuffer.allocate(1)); } }
    @Found("ChannelState")
    static void truncateForReading() throws IOException { try (FileChannel c = FileChannel.open(file())) { c.truncate(0); } }
    @Found("ChannelState")
    static void lockedTwice() throws IOException { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { c.lock(); c.lock(); } }
    @Found("ChannelState")
    static void readUnconnected() throws IOException { try (SocketChannel c = SocketChannel.open()) { c.read(ByteBuffer.allocate(1)); } }
    @Found("ChannelState")
    static void acceptUnbound() throws IOException { try (ServerSocketChannel c = ServerSocketChannel.open()) { c.accept(); } }
    @Found("ChannelState")
    static void boundTwice() throws IOException { try (ServerSocketChannel c = ServerSocketChannel.open()) { c.bind(null); c.bind(null); } }
    @Found("ChannelState")
    static void finishUnstarted() throws IOException { try (SocketChannel c = SocketChannel.open()) { c.finishConnect(); } }
    @Found("ChannelState")
    static void registerBlocking() throws IOException { try (SocketChannel c = SocketChannel.open(); Selector s = Selector.open()) { c.register(s, SelectionKey.OP_CONNECT); } }
    @Found("SelectorClosed")
    static void selectClosed() throws IOException { Selector s = Selector.open(); s.close(); s.selectNow(); }
    @Found("SelectorClosed")
    static void keysClosed() throws IOException { Selector s = Selector.open(); s.close(); s.keys(); }
    @Found("WatchServiceClosed")
    static void pollClosed() throws IOException { WatchService w = FileSystems.getDefault().newWatchService(); w.close(); w.poll(); }
    @Found("WatchServiceClosed")
    static void takeClosed() throws Exception { WatchService w = FileSystems.getDefault().newWatchService(); w.close(); w.take(); }
    @Found("ChannelClosed")
    static void transferToClosedTarget() throws Exception { FileChannel t = FileChannel.open(file(), StandardOpenOption.WRITE); t.close(); try (FileChannel c = FileChannel.open(file())) { c.transferTo(0, 1, t); } }
    @Found("ChannelClosed")
    static void transferFromClosed() throws Exception { FileChannel s = FileChannel.open(file()); s.close(); try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { c.transferFrom(s, 0, 1); } }
    @Found("FileSystemClosed")
    static void copyIntoClosed() throws Exception { Path z = Files.createTempFile("z", ".zip"); Files.delete(z); FileSystem f = FileSystems.newFileSystem(z, Map.of("create", "true")); Path t = f.getPath("x"); f.close(); Files.copy(file(), t); }
    @Found("FileSystemClosed")
    static void walkOfClosed() throws Exception { Path z = Files.createTempFile("z", ".zip"); Files.delete(z); FileSystem f = FileSystems.newFileSystem(z, Map.of("create", "true")); Path t = f.getPath("/"); f.close(); Files.newByteChannel(t); }
    @Found("ChannelClosed")
    static void gatherClosed() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); c.close(); c.write(new ByteBuffer[] {ByteBuffer.allocate(1)}); }
    @Found("ChannelClosed")
    static void pipeClosed() throws Exception { Pipe p = Pipe.open(); p.sink().close(); p.sink().write(ByteBuffer.allocate(1)); }
    @Unseen("the socket is below a wrapper of its stream")
    static void readerOverClosedSocket() throws Exception { try (ServerSocket l = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) { Socket s = new Socket(l.getInetAddress(), l.getLocalPort()); BufferedReader r = new BufferedReader(new InputStreamReader(s.getInputStream())); s.close(); r.readLine(); } }
    @Found("WrappedClosed")
    static void dataOverClosedFile() throws Exception { FileOutputStream f = new FileOutputStream(file().toFile()); DataOutputStream d = new DataOutputStream(f); f.close(); d.writeInt(1); }
    @Found("IteratorExhausted")
    static void nestedIterators() { Iterator<Integer> i = Stream.of(1).iterator(); i.next(); ((Callable<Object>) i::next).getClass(); i.next(); }
    @Found("CollectionEmpty")
    static void synchronizedEmpty() { Collections.synchronizedSortedSet(new TreeSet<Integer>()).first(); }
    @Found("CollectionEmpty")
    static void unmodifiableEmpty() { Collections.unmodifiableSortedMap(new TreeMap<Integer, Integer>()).lastKey(); }
    @Found("CollectionEmpty")
    static void checkedEmpty() { Collections.asLifoQueue(new ArrayDeque<Integer>()).remove(); }
    @Found("QueueFull")
    static void checkedFull() { Queue<Integer> q = Collections.checkedQueue(new ArrayBlockingQueue<>(1), Integer.class); q.add(1); q.add(2); }
    @Found("ImmutableCollection")
    static void checkedImmutable() { Collections.checkedList(List.of(1), Integer.class).add(2); }
    @Found("ImmutableCollection")
    static void nCopiesSet() { Collections.nCopies(2, 1).set(0, 2); }
    @Unseen("a view of a view of a map")
    static void singletonRemoveIf() { Collections.singletonMap(1, 2).entrySet().removeIf(x -> true); }
    @Found("TraversalComodification")
    static void mapForEachClear() { Map<Integer, Integer> m = new LinkedHashMap<>(Map.of(1, 1, 2, 2)); m.forEach((k, v) -> m.clear()); }
    @Found("TraversalComodification")
    static void toArrayOfChangedPart() { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)), s = l.subList(0, 2); l.add(1); s.toArray(); }
    @Found("TraversalComodification")
    static void hashOfChangedPart() { List<Integer> l = new LinkedList<>(List.of(1, 2, 3)), s = l.subList(0, 2); l.add(1); s.size(); }
    @Found("StreamReused")
    static void closedStreamUsed() { Stream<Integer> s = Stream.of(1); s.close(); s.count(); }
    @Found("ScannerClosed")
    static void closedBySource() { Scanner s = new Scanner(new ByteArrayInputStream(new byte[] {49})); s.close(); s.nextInt(); }
    @Found("TimerCancelled")
    static void timerTwice() { Timer t = new Timer(true); t.cancel(); t.scheduleAtFixedRate(new TimerTask() { public void run() { } }, new Date(), 5); }
    @Found("CauseSetTwice")
    static void causeOfItself() { Exception e = new Exception((Throwable) null); e.initCause(new Error()); }
    @Found("ChannelClosed")
    static void asyncSocketClosed() throws Exception { AsynchronousSocketChannel c = AsynchronousSocketChannel.open(); c.close(); c.getLocalAddress(); }
    @Found("SelectorClosed")
    static void selectorOfProvider() throws Exception { Selector s = java.nio.channels.spi.SelectorProvider.provider().openSelector(); s.close(); s.select(1); }
    @Found("WriterClosed")
    static void printWriterOver() throws Exception { BufferedWriter w = new BufferedWriter(new StringWriter()); w.close(); w.newLine(); }
}
