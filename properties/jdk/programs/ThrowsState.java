import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.nio.file.StandardWatchEventKinds;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;
import javax.crypto.KeyAgreement;

/** Uses of objects that are in no state for them: they throw, as the documentation says. */
final class ThrowsState {
    static Path file() throws IOException {
        Path path = Files.createTempFile("throws", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "text");
    }

    static FileSystem archive() throws IOException {
        Path path = Files.createTempFile("throws", ".zip");
        Files.delete(path);
        path.toFile().deleteOnExit();
        return FileSystems.newFileSystem(path, Map.of("create", "true"));
    }

    static SelectionKey cancelled() throws IOException {
        Selector selector = Selector.open();
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
        key.cancel();
        selector.close();
        channel.close();
        return key;
    }

    @Found("SelectionKeyCancelled")
    static void keyReadyOps() throws Exception { cancelled().readyOps(); }
    @Found("SelectionKeyCancelled")
    static void keyInterestOps() throws Exception { cancelled().interestOps(SelectionKey.OP_READ); }
    @Found("SelectionKeyCancelled")
    static void keyIsReadable() throws Exception { cancelled().isReadable(); }
    @Found("KeyAgreementInit")
    static void agreementWithoutPhase() throws Exception {
        KeyPairGenerator pairs = KeyPairGenerator.getInstance("EC");
        KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
        agreement.init(pairs.generateKeyPair().getPrivate());
        agreement.generateSecret();
    }
    @Found("ScannerExhausted")
    static void scannerNextLine() { new Scanner("").nextLine(); }
    @Found("ScannerExhausted")
    static void scannerNextInt() { Scanner s = new Scanner("1"); s.nextInt(); s.nextInt(); }
    @Found("ScannerExhausted")
    static void scannerNextPattern() { new Scanner("").next("a+"); }
    @Found("ScannerExhausted")
    static void scannerSkip() { new Scanner("b").skip("a+"); }
    @Found("ScannerExhausted")
    static void scannerMatch() { new Scanner("b").match(); }
    @Found("IteratorExhausted")
    static void scannerNext() { new Scanner("").next(); }
    @Found("BuilderMisused")
    static void streamBuilderAdd() { Stream.Builder<String> b = Stream.builder(); b.add("a").build(); b.add("b"); }
    @Found("BuilderMisused")
    static void intBuilderBuild() { IntStream.Builder b = IntStream.builder(); b.build(); b.build(); }
    @Found("BuilderMisused")
    static void calendarBuilder() { new Calendar.Builder().setInstant(0).setDate(2020, 1, 1); }
    @Found("PhaserParties")
    static void phaserArrive() { new Phaser().arrive(); }
    @Found("PhaserParties")
    static void phaserDeregister() { Phaser p = new Phaser(2); p.arrive(); p.arriveAndDeregister(); Phaser q = new Phaser(); q.arriveAndDeregister(); }
    @Found("PublisherClosed")
    static void publisherSubmit() { SubmissionPublisher<String> p = new SubmissionPublisher<>(); p.close(); p.submit("a"); }
    @Found("PublisherClosed")
    static void publisherOffer() { SubmissionPublisher<String> p = new SubmissionPublisher<>(); p.closeExceptionally(new Error()); p.offer("a", null); }
    @Found("MarkReset")
    static void resetUnmarked() throws Exception { new BufferedInputStream(new ByteArrayInputStream(new byte[9])).reset(); }
    @Found("MarkReset")
    static void resetUnsupported() throws Exception { try (InputStream in = Files.newInputStream(file())) { in.reset(); } }
    @Found("MarkReset")
    static void resetInvalid() throws Exception { BufferedReader r = new BufferedReader(new StringReader("a".repeat(50)), 4); r.mark(1); r.readLine(); r.reset(); }
    @Found("MarkReset")
    static void pushbackMark() throws Exception { new PushbackReader(new StringReader("a")).mark(1); }
    @Found("ObjectStreamInactive")
    static void defaultRead() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) { out.writeObject("a"); }
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).defaultReadObject();
    }
    @Found("ObjectStreamInactive")
    static void defaultWrite() throws Exception { new ObjectOutputStream(new ByteArrayOutputStream()).defaultWriteObject(); }
    @Found("ObjectStreamInactive")
    static void protocolLate() throws Exception { ObjectOutputStream o = new ObjectOutputStream(new ByteArrayOutputStream()); o.writeObject("a"); o.useProtocolVersion(ObjectStreamConstants.PROTOCOL_VERSION_1); }
    @Found("DeflaterEnded")
    static void deflateEnded() { Deflater d = new Deflater(); d.end(); d.deflate(new byte[9]); }
    @Found("DeflaterEnded")
    static void inflateEnded() throws Exception { Inflater i = new Inflater(); i.end(); i.inflate(new byte[9]); }
    @Found("DeflaterEnded")
    static void resetEnded() { Inflater i = new Inflater(); i.end(); i.reset(); }
    @Found("FileSystemClosed")
    static void readInClosed() throws Exception { FileSystem fs = archive(); Path p = fs.getPath("a"); fs.close(); Files.exists(p); Files.readString(p); }
    @Found("FileSystemClosed")
    static void writeInClosed() throws Exception { FileSystem fs = archive(); Path p = fs.getPath("a"); fs.close(); Files.writeString(p, "a"); }
    @Found("CauseSetTwice")
    static void causeTwice() { Exception e = new Exception(); e.initCause(new Error()); e.initCause(new Error()); }
    @Found("CauseSetTwice")
    static void causeAfterConstructor() { new Exception("a", null).initCause(new Error()); }
    @Found("CollectionEmpty")
    static void minOfNothing() { Collections.min(new ArrayList<Integer>()); }
    @Found("CollectionEmpty")
    static void maxOfNothing() { Collections.max(new HashSet<Integer>(), Comparator.reverseOrder()); }
    @Found("QueueFull")
    static void addAllToFull() { new ArrayBlockingQueue<String>(1).addAll(List.of("a", "b")); }
    @Found("LockUnlock")
    static void stampedUnlockWrite() { StampedLock l = new StampedLock(); long s = l.writeLock(); l.unlockWrite(s); l.unlockWrite(s); }
    @Found("LockUnlock")
    static void stampedUnlockRead() { new StampedLock().unlockRead(256); }
    @Found("ConditionLock")
    static void hasWaitersUnheld() { ReentrantLock l = new ReentrantLock(); l.hasWaiters(l.newCondition()); }
    @Found("MatcherMatch")
    static void replacerUsesMatcher() { Matcher m = Pattern.compile("a").matcher("aaa"); m.replaceAll(r -> { m.find(); return "b"; }); }
    @Found("BufferMisused")
    static void appendBeyond() { CharBuffer.allocate(1).append("ab"); }
    @Found("BufferMisused")
    static void readIntoReadOnly() throws Exception { new StringReader("a").read(CharBuffer.allocate(1).asReadOnlyBuffer()); }
    @Found("BufferMisused")
    static void arrayOffsetReadOnly() { ByteBuffer.allocate(1).asReadOnlyBuffer().arrayOffset(); }
    @Found("ChannelState")
    static void mapUnreadable() throws Exception { try (FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE)) { c.map(FileChannel.MapMode.READ_ONLY, 0, 1); } }
    @Found("ChannelState")
    static void transferFromUnwritable() throws Exception { try (FileChannel c = FileChannel.open(file()); FileChannel d = FileChannel.open(file())) { c.transferFrom(d, 0, 1); } }
    @Found("ChannelState")
    static void asynchronousUnwritable() throws Exception { try (AsynchronousFileChannel c = AsynchronousFileChannel.open(file())) { c.write(ByteBuffer.allocate(1), 0); } }
    @Found("ChannelState")
    static void asynchronousUnconnected() throws Exception { try (AsynchronousSocketChannel c = AsynchronousSocketChannel.open()) { c.read(ByteBuffer.allocate(1)); } }
    @Found("ChannelState")
    static void asynchronousUnbound() throws Exception { try (AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open()) { c.accept(); } }
    @Found("ChannelState")
    static void acceptTwice() throws Exception { try (AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open()) { c.bind(null); c.accept(); c.accept(); } }
    @Found("ChannelState")
    static void shutdownUnconnected() throws Exception { try (SocketChannel c = SocketChannel.open()) { c.shutdownOutput(); } }
    @Found("ChannelState")
    static void releaseWithoutChannel() throws Exception { FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); FileLock l = c.lock(); c.close(); l.release(); }
    @Found("ChannelState")
    static void blockingAgain() throws Exception {
        try (Selector s = Selector.open(); SocketChannel c = SocketChannel.open()) {
            c.configureBlocking(false);
            c.register(s, SelectionKey.OP_CONNECT);
            c.configureBlocking(true);
        }
    }
    @Found("ChannelClosed")
    static void asynchronousClosed() throws Exception { AsynchronousFileChannel c = AsynchronousFileChannel.open(file()); c.close(); c.size(); }
    @Found("ChannelClosed")
    static void localAddressClosed() throws Exception { DatagramChannel c = DatagramChannel.open(); c.close(); c.getLocalAddress(); }
    @Found("SelectorClosed")
    static void registerAtClosed() throws Exception {
        Selector s = Selector.open();
        s.close();
        try (SocketChannel c = SocketChannel.open()) { c.configureBlocking(false); c.register(s, SelectionKey.OP_CONNECT); }
    }
    @Found("WatchServiceClosed")
    static void registerAtClosedService() throws Exception {
        WatchService w = FileSystems.getDefault().newWatchService();
        w.close();
        file().getParent().register(w, StandardWatchEventKinds.ENTRY_CREATE);
    }
    @Found("SocketClosed")
    static void optionOfClosed() throws Exception { Socket s = new Socket(); s.close(); s.getOption(StandardSocketOptions.TCP_NODELAY); }
    @Found("DatagramSocketClosed")
    static void trafficClassOfClosed() throws Exception { DatagramSocket s = new DatagramSocket(); s.close(); s.getTrafficClass(); }
    @Found("InputStreamClosed")
    static void dataReadIntClosed() throws Exception { DataInputStream d = new DataInputStream(Files.newInputStream(file())); d.close(); d.readInt(); }
    @Found("InputStreamClosed")
    static void unreadClosed() throws Exception { PushbackInputStream p = new PushbackInputStream(Files.newInputStream(file())); p.close(); p.unread(1); }
    @Found("InputStreamClosed")
    static void nextEntryClosed() throws Exception { ZipInputStream z = new ZipInputStream(new ByteArrayInputStream(new byte[0])); z.close(); z.getNextEntry(); }
    @Found("OutputStreamClosed")
    static void dataWriteIntClosed() throws Exception { DataOutputStream d = new DataOutputStream(Files.newOutputStream(file())); d.close(); d.writeInt(1); }
    @Found("InputStreamClosed")
    static void closedAsCloseable() throws Exception { InputStream in = Files.newInputStream(file()); Closeable c = in; c.close(); in.read(); }
    @Found("ReaderClosed")
    static void closedAsAutoCloseable() throws Exception { Reader r = Files.newBufferedReader(file()); try (AutoCloseable c = r) { } r.read(); }
    @Found("StreamReused")
    static void streamClosedAsAutoCloseable() throws Exception { Stream<String> s = Stream.of("a"); try (AutoCloseable c = s) { } s.count(); }
    @Found("CipherInit")
    static void outputSizeWithoutInit() throws Exception { javax.crypto.Cipher.getInstance("AES").getOutputSize(1); }
    @Found("UrlConnectionLate")
    static void propertyOfConnected() throws Exception { URLConnection u = file().toUri().toURL().openConnection(); u.connect(); u.getRequestProperty("a"); }
    @Found("MapViewComodification")
    static void changedThroughOtherView() { Map<String, String> m = new HashMap<>(Map.of("a", "b", "c", "d")); for (String k : m.keySet()) m.values().clear(); }
    @Found("IteratorComodification")
    static void changedBehindSynchronizedMap() { Map<String, String> m = new HashMap<>(Map.of("a", "b", "c", "d")); Map<String, String> s = Collections.synchronizedMap(m); synchronized (s) { for (String k : s.keySet()) m.clear(); } }
}
