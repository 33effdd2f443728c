import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;

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
}
