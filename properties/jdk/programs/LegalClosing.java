import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.sql.Connection;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.stream.*;
import java.util.zip.*;

/** What was opened is closed, by somebody, in some way; or need not be. */
final class LegalClosing {
    static final List<Object> kept = new ArrayList<>();

    static Path file() throws IOException {
        Path path = Files.createTempFile("closing", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "one\ntwo\n");
    }

    static Path folder() throws IOException { return Files.createTempDirectory("closing"); }

    @Legal("NeverClosed")
    static void tried() throws Exception { try (InputStream in = new FileInputStream(file().toFile()); OutputStream out = new FileOutputStream(file().toFile())) { in.transferTo(out); } }
    @Legal("NeverClosed")
    static void closedByWrappers() throws Exception { BufferedReader in = new BufferedReader(new InputStreamReader(new BufferedInputStream(new FileInputStream(file().toFile())))); in.readLine(); in.close(); }
    static void closedBelowItsWrapper() throws Exception { try (FileInputStream in = new FileInputStream(file().toFile())) { new BufferedReader(new InputStreamReader(in)).readLine(); } }
    static void closedByScanner() throws Exception { Scanner in = new Scanner(new FileInputStream(file().toFile())); in.next(); in.close(); }
    static void closedByStreamOfLines() throws Exception { BufferedReader in = Files.newBufferedReader(file()); try (Stream<String> lines = in.lines().onClose(() -> { try { in.close(); } catch (IOException e) { } })) { lines.count(); } }
    static void closedByOwnWrapper() throws Exception { InputStream in = new FilterInputStream(new FileInputStream(file().toFile())) { }; in.read(); in.close(); }
    static void closedByArchive() throws Exception { ZipOutputStream out = new ZipOutputStream(new FileOutputStream(file().toFile())); out.putNextEntry(new ZipEntry("a")); out.close(); }
    static void closedByObjectStream() throws Exception { try (ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(file().toFile()))) { out.writeObject("x"); } }
    static void closedThroughItsChannel() throws Exception { FileInputStream in = new FileInputStream(file().toFile()); in.getChannel().close(); new RandomAccessFile(file().toFile(), "r").getChannel().close(); }
    static void closedThroughItsStream() throws Exception { InputStream in = Channels.newInputStream(FileChannel.open(file())); in.read(); in.close(); }
    static void closedAsElement() throws Exception { List<Closeable> all = List.of(new FileInputStream(file().toFile()), Files.newInputStream(file()), Files.newByteChannel(file())); for (Closeable each : all) each.close(); }
    static void closedByReference() throws Exception { FileReader in = new FileReader(file().toFile()); Closeable close = in::close; close.close(); }
    static void closedByReflection() throws Exception { FileReader in = new FileReader(file().toFile()); Reader.class.getMethod("close").invoke(in); }
    static void closedByAnotherThread() throws Exception { FileReader in = new FileReader(file().toFile()); Thread t = new Thread(() -> { try { in.close(); } catch (IOException e) { } }); t.start(); t.join(); }
    static void closedBySequence() throws Exception { try (InputStream in = new SequenceInputStream(new FileInputStream(file().toFile()), new FileInputStream(file().toFile()))) { in.readAllBytes(); } }
    static void readToItsEndBySequence() throws Exception { new SequenceInputStream(Collections.enumeration(List.of(new FileInputStream(file().toFile())))).readAllBytes(); }
    static void closedByProperties() throws Exception { Path p = Files.writeString(file(), "<!DOCTYPE properties SYSTEM \"http://java.sun.com/dtd/properties.dtd\"><properties/>"); new Properties().loadFromXML(new FileInputStream(p.toFile())); }
    static void closedWriters() throws Exception { try (PrintWriter a = new PrintWriter(file().toFile()); PrintStream b = new PrintStream(file().toFile()); Formatter c = new Formatter(file().toFile()); Writer d = new FileWriter(file().toFile()); Writer e = Files.newBufferedWriter(file())) { a.print(1); b.print(1); c.format("x"); d.write(1); e.write(1); } }
    static void closedReaders() throws Exception { try (Scanner a = new Scanner(file()); LineNumberReader b = new LineNumberReader(Files.newBufferedReader(file())); Reader c = new BufferedReader(new FileReader(file().toFile()))) { a.next(); b.readLine(); c.read(); } }
    static void closedStreamsOfFiles() throws Exception { try (Stream<Path> a = Files.list(folder()); Stream<Path> b = Files.walk(folder()); Stream<Path> c = Files.find(folder(), 1, (p, x) -> true); Stream<String> d = Files.lines(file()); DirectoryStream<Path> e = Files.newDirectoryStream(folder())) { a.count(); b.count(); c.count(); d.count(); e.iterator().hasNext(); } }
    static void closedAtTheEndOfThePipeline() throws Exception { try (Stream<Path> a = Files.walk(folder()).filter(Files::isRegularFile).map(Path::getFileName); IntStream b = Files.lines(file()).mapToInt(String::length).parallel()) { a.count(); b.sum(); } }
    static void closedByConcatenation() throws Exception { try (Stream<String> all = Stream.concat(Files.lines(file()), Files.lines(file()))) { all.count(); } }
    static void closedByFlatMap() throws Exception { Stream.of(file(), file()).flatMap(p -> { try { return Files.lines(p); } catch (IOException e) { throw new UncheckedIOException(e); } }).count(); }
    static void closedSockets() throws Exception { try (ServerSocket s = new ServerSocket(0); Socket a = new Socket("localhost", s.getLocalPort()); Socket b = s.accept(); DatagramSocket d = new DatagramSocket()) { a.getOutputStream().write(1); b.getInputStream().read(); } }
    static void closedThroughTheirStreams() throws Exception { try (ServerSocket s = new ServerSocket(0)) { Socket a = new Socket("localhost", s.getLocalPort()), b = s.accept(); a.getOutputStream().close(); b.getInputStream().close(); } }
    static void closedThroughTheirChannels() throws Exception { try (ServerSocketChannel s = ServerSocketChannel.open().bind(null)) { SocketChannel a = SocketChannel.open(s.getLocalAddress()); Socket b = s.socket().accept(); b.getChannel().close(); a.socket().close(); } }
    static void neverConnected() { new Socket(); }
    static void closedChannels() throws Exception { try (FileChannel a = FileChannel.open(file()); Selector b = Selector.open(); DatagramChannel c = DatagramChannel.open(); AsynchronousFileChannel d = AsynchronousFileChannel.open(file()); AsynchronousServerSocketChannel e = AsynchronousServerSocketChannel.open(); WatchService f = FileSystems.getDefault().newWatchService()) { a.size(); } }
    static void closedArchives() throws Exception { Path p = file(); try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(p))) { out.putNextEntry(new ZipEntry("a")); } try (ZipFile a = new ZipFile(p.toFile()); java.util.jar.JarFile b = new java.util.jar.JarFile(p.toFile())) { a.size(); b.size(); } }
    static void inMemory() throws Exception { new ByteArrayInputStream(new byte[3]).read(); new ByteArrayOutputStream().write(1); new StringReader("a").read(); new StringWriter().write("a"); new BufferedReader(new StringReader("a")).readLine(); new Scanner("a").next(); new Formatter().format("x"); new PrintWriter(new StringWriter()).print(1); Stream.of(1).count(); new DataInputStream(new ByteArrayInputStream(new byte[3])).readByte(); }
    static void ofTheSystem() throws Exception { new PrintStream(new FileOutputStream(FileDescriptor.err)).flush(); new FileReader(FileDescriptor.in); new Scanner(System.in); new BufferedWriter(new OutputStreamWriter(System.err)).flush(); }
    static void sharedDescriptor() throws Exception { try (RandomAccessFile f = new RandomAccessFile(file().toFile(), "r")) { new FileInputStream(f.getFD()).read(); } }
    static void notOpened() { try { new FileInputStream("/no such file"); } catch (IOException e) { } try { Files.lines(Path.of("/no such file")); } catch (IOException e) { } }
    static void keptOpen() throws Exception { kept.add(new FileOutputStream(file().toFile())); kept.add(new DatagramSocket()); kept.add(Files.lines(file())); }
    static void openInDaemon() throws Exception { FileReader in = new FileReader(file().toFile()); Thread t = new Thread(() -> { try { synchronized (in) { in.wait(); } in.read(); } catch (Exception e) { } }); t.setDaemon(true); t.start(); }
    static void closedElsewhere() throws Exception { Elsewhere.closeAll(List.of(new FileInputStream(file().toFile()), Files.lines(file()))); Elsewhere.close(1, 2, 3, new FileWriter(file().toFile())); }
    @Legal("JdbcNeverClosed")
    static void closedConnection() throws Exception { try (Connection c = Jdbc.pool().getConnection()) { c.createStatement(); } Jdbc.pool().getConnection().abort(Runnable::run); }
    @Legal("JdbcNeverClosed")
    static void keptConnection() throws Exception { kept.add(Jdbc.pool().getConnection()); Elsewhere.closeAll(List.of(Jdbc.pool().getConnection())); }
    static void closedConnectionByFinally() throws Exception { Connection c = Jdbc.pool().getConnection(); Callable<Integer> work = () -> c.createStatement().executeUpdate("x"); try { work.call(); } finally { c.close(); } }
}
