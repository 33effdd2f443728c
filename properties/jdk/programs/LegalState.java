import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;
import javax.crypto.KeyAgreement;

/** Uses of objects in the order that the documentation allows. */
final class LegalState {
    static Path file() throws IOException {
        Path path = Files.createTempFile("legal", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "text");
    }

    @Legal("SelectionKeyCancelled")
    static void keyAsked() throws Exception {
        try (Selector s = Selector.open(); SocketChannel c = SocketChannel.open()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(s, SelectionKey.OP_CONNECT);
            key.interestOps(0);
            key.isReadable();
            key.cancel();
            if (key.isValid()) key.readyOps();
        }
    }
    @Legal("SelectionKeyCancelled, ChannelState, SelectorClosed")
    static void registeredAgain() throws Exception {
        try (Selector s = Selector.open(); SocketChannel c = SocketChannel.open()) {
            c.configureBlocking(false);
            c.register(s, SelectionKey.OP_CONNECT).cancel();
            s.selectNow();
            c.register(s, SelectionKey.OP_CONNECT).isConnectable();
        }
    }
    static byte[] agree(String name, String algorithm) throws Exception {
        KeyPairGenerator pairs = KeyPairGenerator.getInstance(algorithm);
        KeyPair mine = pairs.generateKeyPair(), yours = pairs.generateKeyPair();
        KeyAgreement agreement = KeyAgreement.getInstance(name);
        agreement.init(mine.getPrivate());
        agreement.doPhase(yours.getPublic(), true);
        return agreement.generateSecret();
    }
    @Legal("KeyAgreementInit")
    static void agreementElliptic() throws Exception { agree("ECDH", "EC"); }
    @Legal("KeyAgreementInit")
    static void agreementTwice() throws Exception { agree("X25519", "X25519"); agree("X25519", "X25519"); }
    @Legal("ScannerExhausted, ScannerClosed")
    static void scannerAsked() { Scanner s = new Scanner("1 a\nb"); if (s.hasNextInt()) s.nextInt(); while (s.hasNextLine()) s.nextLine(); s.close(); }
    @Legal("ScannerExhausted")
    static void scannerMismatch() { Scanner s = new Scanner("a"); try { s.nextInt(); } catch (InputMismatchException e) { s.next(); } }
    @Legal("ScannerExhausted")
    static void scannerMatched() { Scanner s = new Scanner("a b"); s.findInLine("(\\w)"); s.match().group(1); s.skip(" *"); }
    @Legal("BuilderMisused")
    static void streamBuilt() { Stream.<String>builder().add("a").add("b").build().count(); IntStream.Builder b = IntStream.builder(); b.accept(1); b.build().sum(); }
    @Legal("BuilderMisused")
    static void calendarBuilt() { new Calendar.Builder().setDate(2020, 1, 1).setTimeOfDay(1, 2, 3).build(); new Calendar.Builder().setInstant(0).build(); }
    @Legal("PhaserParties")
    static void phaserRegistered() { Phaser p = new Phaser(1); p.arrive(); p.register(); p.arriveAndDeregister(); }
    @Legal("PhaserParties")
    static void phaserTerminated() { Phaser p = new Phaser(1); p.forceTermination(); p.arrive(); p.arrive(); }
    @Legal("PublisherClosed")
    static void publisherOpen() { SubmissionPublisher<String> p = new SubmissionPublisher<>(); p.submit("a"); p.close(); p.close(); }
    @Legal("PublisherClosed")
    static void publisherInTry() { try (SubmissionPublisher<String> p = new SubmissionPublisher<>()) { p.consume(s -> { }); p.submit("a"); p.offer("b", null); } }
    @Legal("MarkReset, InputStreamClosed")
    static void markedStream() throws Exception { try (InputStream in = new BufferedInputStream(Files.newInputStream(file()))) { in.mark(9); in.read(); in.reset(); in.read(); } }
    @Legal("MarkReset, ReaderClosed")
    static void markedReader() throws Exception { Reader r = new StringReader("ab"); r.mark(9); r.read(); r.reset(); r.reset(); r.close(); }
    @Legal("MarkReset")
    static void resetToBeginning() throws Exception { new ByteArrayInputStream(new byte[2]).reset(); new CharArrayReader(new char[2]).reset(); }
    static final class Kept implements Serializable {
        private static final long serialVersionUID = 1;
        int n = 3;
        private void writeObject(ObjectOutputStream out) throws IOException { out.defaultWriteObject(); }
        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException { in.defaultReadObject(); }
    }
    @Legal("ObjectStreamInactive")
    static void objectWritten() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) { out.writeObject(new Kept()); }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) { in.readObject(); }
    }
    @Legal("ObjectStreamInactive")
    static void filterEarly() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) { out.useProtocolVersion(ObjectStreamConstants.PROTOCOL_VERSION_2); out.writeObject("a"); }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) { in.setObjectInputFilter(i -> ObjectInputFilter.Status.UNDECIDED); in.readObject(); }
    }
    @Legal("DeflaterEnded")
    static void deflated() throws Exception {
        Deflater d = new Deflater();
        d.setInput(new byte[9]); d.finish();
        byte[] out = new byte[99];
        int n = d.deflate(out);
        d.reset();
        d.end();
        d.end();
        Inflater i = new Inflater();
        i.setInput(out, 0, n);
        i.inflate(new byte[9]);
        i.end();
    }
    @Legal("DeflaterEnded")
    static void deflatedAgain() { Deflater d = new Deflater(); for (int i = 0; i < 2; i++) { d.setInput(new byte[9]); d.finish(); d.deflate(new byte[99]); d.reset(); } d.end(); }
    static FileSystem archive() throws IOException {
        Path path = Files.createTempFile("legal", ".zip");
        Files.delete(path);
        path.toFile().deleteOnExit();
        return FileSystems.newFileSystem(path, Map.of("create", "true"));
    }
    @Legal("FileSystemClosed")
    static void archiveWritten() throws Exception { try (FileSystem fs = archive()) { Path p = Files.writeString(fs.getPath("a"), "a"); Files.readString(p); } }
    @Legal("FileSystemClosed")
    static void archiveClosedTwice() throws Exception { FileSystem fs = archive(); Path p = fs.getPath("a"); fs.close(); fs.close(); p.toString(); fs.isOpen(); }
    @Legal("CauseSetTwice")
    static void causeOnce() { new Exception().initCause(new Error()); }
    @Legal("CauseSetTwice")
    static void causeOfItself() { Exception e = new Exception(); try { e.initCause(e); } catch (IllegalArgumentException x) { e.initCause(null); } }
    @Legal("CollectionEmpty")
    static void minOfSomething() { Collections.min(List.of(1, 2)); Collections.max(Set.of(1)); }
    @Legal("QueueFull, CollectionEmpty")
    static void addAllThatFits() { Queue<String> q = new ArrayBlockingQueue<>(2); q.addAll(List.of("a", "b")); q.remove(); q.offer("c"); q.offer("d"); }
    @Legal("LockUnlock")
    static void stamped() { StampedLock l = new StampedLock(); long s = l.writeLock(); l.unlockWrite(s); s = l.tryConvertToReadLock(l.readLock()); l.unlock(s); }
    @Legal("ConditionLock, LockUnlock")
    static void askedForWaiters() { ReentrantLock l = new ReentrantLock(); Condition c = l.newCondition(); l.lock(); l.hasWaiters(c); c.signal(); l.unlock(); }
    @Legal("MatcherMatch")
    static void replacerLeavesMatcherAlone() { Pattern.compile("a").matcher("aaa").replaceAll(r -> r.group() + "b"); }
    @Legal("BufferMisused")
    static void appendWithin() throws Exception { CharBuffer b = CharBuffer.allocate(2).append("ab"); b.flip(); b.get(); b.compact(); new StringReader("a").read(b); }
    @Legal("ChannelState, ChannelClosed")
    static void asynchronousInOrder() throws Exception {
        try (AsynchronousFileChannel c = AsynchronousFileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            c.write(ByteBuffer.allocate(1), 0).get();
            c.read(ByteBuffer.allocate(1), 0).get();
            c.lock().get().release();
            c.size();
        }
    }
    @Legal("InputStreamClosed")
    static void endOfShielded() throws Exception { DataInputStream d = new DataInputStream(new ByteArrayInputStream(new byte[0])); d.close(); try { d.readInt(); } catch (EOFException e) { } }
    @Legal("InputStreamClosed")
    static void malformedBehindShield() throws Exception {
        InputStream shield = new FilterInputStream(new ByteArrayInputStream(new byte[] {0, 1, -1})) { @Override public void close() { } };
        DataInputStream d = new DataInputStream(shield);
        d.close();
        try { d.readUTF(); } catch (UTFDataFormatException e) { }
    }
    @Legal("ReaderClosed")
    static void malformedBehindShieldedReader() throws Exception {
        InputStreamReader decoder = new InputStreamReader(new ByteArrayInputStream(new byte[] {-1, -1}), StandardCharsets.UTF_8.newDecoder());
        Reader r = new FilterReader(decoder) { @Override public void close() { } };
        r.close();
        try { r.read(); } catch (CharacterCodingException e) { }
    }
    @Legal("OutputStreamClosed, ZipEntryOpen")
    static void duplicateEntry() throws Exception {
        ZipOutputStream z = new ZipOutputStream(new ByteArrayOutputStream());
        z.putNextEntry(new ZipEntry("a"));
        try { z.putNextEntry(new ZipEntry("a")); } catch (ZipException e) { z.closeEntry(); }
        z.close();
    }
    /** A pool that hands the same connection out again; its first statement is wrong. */
    @Legal("JdbcConnectionClosed")
    static void pooledConnection() throws Exception {
        boolean[] fails = {false};
        Connection pooled = (Connection) java.lang.reflect.Proxy.newProxyInstance(LegalState.class.getClassLoader(), new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> { if (fails[0] && method.getName().equals("nativeSQL")) throw new SQLException("syntax"); return null; });
        javax.sql.DataSource source = (javax.sql.DataSource) java.lang.reflect.Proxy.newProxyInstance(LegalState.class.getClassLoader(), new Class<?>[] {javax.sql.DataSource.class},
            (proxy, method, arguments) -> pooled);
        source.getConnection().close();
        fails[0] = true;
        try (Connection c = source.getConnection()) { c.nativeSQL("?"); } catch (SQLException e) { }
    }
    @Legal("MapViewComodification")
    static void viewRemovedThroughIterator() { Map<String, String> m = new HashMap<>(Map.of("a", "b", "c", "d")); for (Iterator<String> i = m.keySet().iterator(); i.hasNext();) { i.next(); i.remove(); } }
    @Legal("MapViewComodification")
    static void valueReplaced() { Map<String, String> m = new HashMap<>(Map.of("a", "b", "c", "d")); for (String k : m.keySet()) m.put(k, "x"); }
    @Legal("WatchServiceClosed")
    static void watched() throws Exception { try (WatchService w = FileSystems.getDefault().newWatchService()) { file().getParent().register(w, StandardWatchEventKinds.ENTRY_CREATE); w.poll(); } }
    @Legal("SocketClosed, DatagramSocketClosed")
    static void options() throws Exception { try (Socket s = new Socket(); DatagramSocket d = new DatagramSocket()) { s.getOption(StandardSocketOptions.TCP_NODELAY); d.getTrafficClass(); } }
    @Legal("MacInit")
    static void macReused() throws Exception { javax.crypto.Mac m = javax.crypto.Mac.getInstance("HmacSHA256"); m.init(new javax.crypto.spec.SecretKeySpec(new byte[9], "k")); m.update((byte) 1); m.doFinal(); m.doFinal(new byte[2]); }
    @Legal("SignatureInit")
    static void signedAndVerified() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        Signature s = Signature.getInstance("SHA256withECDSA");
        s.initSign(pair.getPrivate());
        s.update((byte) 1);
        byte[] signed = s.sign();
        s.initVerify(pair.getPublic());
        s.update((byte) 1);
        s.verify(signed);
    }
    @Legal("SocketOutputShut")
    static void readAfterShutdownOutput() throws Exception {
        try (ServerSocket server = new ServerSocket(0); Socket here = new Socket(server.getInetAddress(), server.getLocalPort()); Socket there = server.accept()) {
            here.getOutputStream().write(1);
            here.shutdownOutput();
            there.getInputStream().readAllBytes();
            there.getOutputStream().write(2);
            there.shutdownOutput();
            here.getInputStream().readAllBytes();
        }
    }
    @Legal("JdbcRow, JdbcResultSetClosed, JdbcStatementClosed")
    static void rowsRead() throws Exception {
        Connection c = ThrowsThreads.connection();
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("a")) { while (r.next()) r.getInt(1); }
    }
    @Legal("TraversalComodification")
    static void changedAfterTraversal() { List<String> l = new ArrayList<>(List.of("a", "b")); List<String> gone = new ArrayList<>(); l.forEach(gone::add); l.removeAll(gone); l.stream().count(); l.add("c"); }
    @Legal("TraversalComodification")
    static void otherMapChanged() { Map<String, Integer> m = new HashMap<>(), n = new HashMap<>(); m.computeIfAbsent("a", k -> { n.put(k, 1); return 1; }); m.forEach((k, v) -> n.merge(k, v, Integer::sum)); m.replaceAll((k, v) -> n.get(k)); }
}
