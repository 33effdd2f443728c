import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.Stream;
import java.util.zip.*;

/** Uses of streams, readers, files and sockets that throw, as the documentation says. */
final class ThrowsStreams {
    static Path file() throws IOException {
        Path path = Files.createTempFile("throws", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "one\ntwo\nthree\n");
    }

    static Path archive() throws IOException {
        Path path = Files.createTempFile("throws", ".zip");
        path.toFile().deleteOnExit();
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(path))) {
            out.putNextEntry(new ZipEntry("a"));
            out.write(1);
        }
        return path;
    }

    static byte[] gzipped() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) { out.write(1); }
        return bytes.toByteArray();
    }

    @Found("InputStreamClosed")
    static void fileInputRead() throws IOException { FileInputStream in = new FileInputStream(file().toFile()); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void fileInputAvailable() throws IOException { FileInputStream in = new FileInputStream(file().toFile()); in.close(); in.available(); }
    @Found("InputStreamClosed")
    static void fileInputSkip() throws IOException { FileInputStream in = new FileInputStream(file().toFile()); in.close(); in.skip(1); }
    @Found("InputStreamClosed")
    static void fileInputReadAll() throws IOException { FileInputStream in = new FileInputStream(file().toFile()); in.close(); in.readAllBytes(); }
    @Found("InputStreamClosed")
    static void fileInputTransfer() throws IOException { FileInputStream in = new FileInputStream(file().toFile()); in.close(); in.transferTo(OutputStream.nullOutputStream()); }
    @Found("InputStreamClosed")
    static void newInputStream() throws IOException { InputStream in = Files.newInputStream(file()); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void bufferedRead() throws IOException { InputStream in = new BufferedInputStream(Files.newInputStream(file())); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void bufferedReset() throws IOException { InputStream in = new BufferedInputStream(Files.newInputStream(file())); in.mark(1); in.close(); in.reset(); }
    @Found("InputStreamClosed")
    static void pushbackRead() throws IOException { InputStream in = new PushbackInputStream(Files.newInputStream(file())); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void inflaterRead() throws IOException { InputStream in = new GZIPInputStream(new ByteArrayInputStream(gzipped())); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void zipInputRead() throws IOException { ZipInputStream in = new ZipInputStream(Files.newInputStream(archive())); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void nullInputRead() throws IOException { InputStream in = InputStream.nullInputStream(); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void filterRead() throws IOException { InputStream in = new FilterInputStream(Files.newInputStream(file())) { }; in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void dataRead() throws IOException { DataInputStream in = new DataInputStream(Files.newInputStream(file())); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void pipedRead() throws IOException { PipedOutputStream out = new PipedOutputStream(); InputStream in = new PipedInputStream(out); in.close(); in.read(); }
    @Found("InputStreamClosed")
    static void subclassRead() throws IOException {
        class Mine extends FileInputStream {
            Mine(File file) throws IOException { super(file); }
            @Override public int read() throws IOException { return super.read(); }
        }
        Mine in = new Mine(file().toFile());
        in.close();
        in.read();
    }
    @Found("WrappedClosed")
    static void wrappedRead() throws IOException { InputStream in = Files.newInputStream(file()); InputStream outer = new BufferedInputStream(in); in.close(); outer.read(); }
    @Found("OutputStreamClosed")
    static void fileOutputWrite() throws IOException { FileOutputStream out = new FileOutputStream(file().toFile()); out.close(); out.write(1); }
    @Found("OutputStreamClosed")
    static void newOutputStream() throws IOException { OutputStream out = Files.newOutputStream(file()); out.close(); out.write(1); }
    @Found("OutputStreamClosed")
    static void nullOutputWrite() throws IOException { OutputStream out = OutputStream.nullOutputStream(); out.close(); out.write(1); }
    @Found("OutputStreamClosed")
    static void deflaterWrite() throws IOException { OutputStream out = new GZIPOutputStream(new ByteArrayOutputStream()); out.write(1); out.close(); out.write(1); }
    @Found("OutputStreamClosed")
    static void zipOutputWrite() throws IOException { ZipOutputStream out = new ZipOutputStream(new ByteArrayOutputStream()); out.putNextEntry(new ZipEntry("a")); out.close(); out.write(new byte[3], 0, 3); }
    @Found("OutputStreamClosed")
    static void filterOutputWrite() throws IOException { OutputStream out = new FilterOutputStream(Files.newOutputStream(file())); out.close(); out.write(1); }
    @Found("OutputStreamClosed")
    static void dataOutputWrite() throws IOException { DataOutputStream out = new DataOutputStream(Files.newOutputStream(file())); out.close(); out.write(1); }
    @Found("ReaderClosed")
    static void fileReaderRead() throws IOException { Reader in = new FileReader(file().toFile()); in.close(); in.read(); }
    @Found("ReaderClosed")
    static void bufferedReaderLine() throws IOException { BufferedReader in = Files.newBufferedReader(file()); in.close(); in.readLine(); }
    @Found("ReaderClosed")
    static void bufferedReaderReady() throws IOException { BufferedReader in = Files.newBufferedReader(file()); in.close(); in.ready(); }
    @Found("ReaderClosed")
    static void bufferedReaderMark() throws IOException { BufferedReader in = Files.newBufferedReader(file()); in.close(); in.mark(3); }
    @Found("ReaderClosed")
    static void stringReaderRead() throws IOException { Reader in = new StringReader("a"); in.close(); in.read(); }
    @Found("ReaderClosed")
    static void stringReaderReset() throws IOException { Reader in = new StringReader("a"); in.close(); in.reset(); }
    @Found("ReaderClosed")
    static void charArrayReader() throws IOException { Reader in = new CharArrayReader(new char[3]); in.close(); in.read(); }
    @Found("ReaderClosed")
    static void pushbackReader() throws IOException { Reader in = new PushbackReader(new StringReader("a")); in.close(); in.read(); }
    @Found("ReaderClosed")
    static void lineNumberReader() throws IOException { LineNumberReader in = new LineNumberReader(new StringReader("a")); in.close(); in.readLine(); }
    @Found("ReaderClosed")
    static void nullReader() throws IOException { Reader in = Reader.nullReader(); in.close(); in.read(); }
    @Found("ReaderClosed")
    static void readerSkip() throws IOException { Reader in = new StringReader("abc"); in.close(); in.skip(2); }
    @Found("ReaderClosed")
    static void readerTransfer() throws IOException { Reader in = new StringReader("abc"); in.close(); in.transferTo(new StringWriter()); }
    @Unseen("a stream of lines wraps the exception in an UncheckedIOException")
    static void readerLines() throws IOException { BufferedReader in = Files.newBufferedReader(file()); in.close(); in.lines().count(); }
    @Found("WriterClosed")
    static void fileWriterWrite() throws IOException { Writer out = new FileWriter(file().toFile()); out.close(); out.write("x"); }
    @Found("WriterClosed")
    static void fileWriterFlush() throws IOException { Writer out = new FileWriter(file().toFile()); out.close(); out.flush(); }
    @Found("WriterClosed")
    static void bufferedWriterWrite() throws IOException { BufferedWriter out = Files.newBufferedWriter(file()); out.close(); out.write("x"); }
    @Found("WriterClosed")
    static void bufferedWriterLine() throws IOException { BufferedWriter out = Files.newBufferedWriter(file()); out.close(); out.newLine(); }
    @Found("WriterClosed")
    static void bufferedWriterFlush() throws IOException { BufferedWriter out = new BufferedWriter(new StringWriter()); out.close(); out.flush(); }
    @Found("WriterClosed")
    static void nullWriterAppend() throws IOException { Writer out = Writer.nullWriter(); out.close(); out.append('x'); }
    @Found("WriterClosed")
    static void outputStreamWriter() throws IOException { Writer out = new OutputStreamWriter(new ByteArrayOutputStream()); out.close(); out.write(1); }
    @Found("RandomAccessFileClosed")
    static void randomRead() throws IOException { RandomAccessFile file = new RandomAccessFile(file().toFile(), "r"); file.close(); file.read(); }
    @Found("RandomAccessFileClosed")
    static void randomSeek() throws IOException { RandomAccessFile file = new RandomAccessFile(file().toFile(), "r"); file.close(); file.seek(1); }
    @Found("RandomAccessFileClosed")
    static void randomWrite() throws IOException { RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw"); file.close(); file.writeInt(1); }
    @Found("RandomAccessFileClosed")
    static void randomLength() throws IOException { RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw"); file.close(); file.length(); }
    @Found("ScannerClosed")
    static void scannerNext() { Scanner in = new Scanner("a"); in.close(); in.next(); }
    @Found("ScannerClosed")
    static void scannerHasNextInt() { Scanner in = new Scanner("a"); in.close(); in.hasNextInt(); }
    @Found("ScannerClosed")
    static void scannerNextLine() { Scanner in = new Scanner("a"); in.close(); in.nextLine(); }
    @Found("ScannerClosed")
    static void scannerFind() { Scanner in = new Scanner("a"); in.close(); in.findInLine("a"); }
    @Found("ZipFileClosed")
    static void zipEntries() throws IOException { ZipFile zip = new ZipFile(archive().toFile()); zip.close(); zip.entries(); }
    @Found("ZipFileClosed")
    static void zipEntry() throws IOException { ZipFile zip = new ZipFile(archive().toFile()); zip.close(); zip.getEntry("a"); }
    @Found("ZipFileClosed")
    static void zipStream() throws IOException { ZipFile zip = new ZipFile(archive().toFile()); zip.close(); zip.stream(); }
    @Found("ZipFileClosed")
    static void zipSize() throws IOException { ZipFile zip = new ZipFile(archive().toFile()); zip.close(); zip.size(); }
    @Found("ZipFileClosed")
    static void jarEntry() throws IOException { java.util.jar.JarFile jar = new java.util.jar.JarFile(archive().toFile()); jar.close(); jar.getEntry("a"); }
    @Found("ZipEntryOpen")
    static void zipWriteWithoutEntry() throws IOException { ZipOutputStream out = new ZipOutputStream(new ByteArrayOutputStream()); out.write(new byte[2], 0, 2); }
    @Found("WriterUnflushed, ZipEntryOpen")
    static void zipWriteAfterEntry() throws IOException {
        ZipOutputStream out = new ZipOutputStream(new ByteArrayOutputStream());
        out.putNextEntry(new ZipEntry("a"));
        out.closeEntry();
        out.write(new byte[2], 0, 2);
    }
    @Found("SocketClosed")
    static void socketConnect() throws IOException { Socket socket = new Socket(); socket.close(); socket.connect(new InetSocketAddress("127.0.0.1", 9)); }
    @Found("SocketClosed")
    static void socketInput() throws IOException { Socket socket = new Socket(); socket.close(); socket.getInputStream(); }
    @Found("SocketClosed")
    static void socketOption() throws IOException { Socket socket = new Socket(); socket.close(); socket.setTcpNoDelay(true); }
    @Found("SocketClosed")
    static void socketBind() throws IOException { Socket socket = new Socket(); socket.close(); socket.bind(null); }
    @Found("ServerSocketClosed")
    static void serverAccept() throws IOException { ServerSocket server = new ServerSocket(0); server.close(); server.accept(); }
    @Found("DatagramSocketClosed")
    static void datagramSend() throws IOException { DatagramSocket socket = new DatagramSocket(); socket.close(); socket.send(new DatagramPacket(new byte[1], 1, InetAddress.getLoopbackAddress(), 9)); }
    @Found("DatagramSocketClosed")
    static void datagramOption() throws IOException { DatagramSocket socket = new DatagramSocket(); socket.close(); socket.setSoTimeout(1); }
    @Found("SocketOutputShut")
    static void outputShut() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort()); Socket other = server.accept()) {
            OutputStream out = client.getOutputStream();
            client.shutdownOutput();
            out.write(1);
        }
    }
    @Found("ChannelClosed")
    static void fileChannelRead() throws IOException { FileChannel channel = FileChannel.open(file()); channel.close(); channel.read(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void fileChannelSize() throws IOException { FileChannel channel = FileChannel.open(file()); channel.close(); channel.size(); }
    @Found("ChannelClosed")
    static void fileChannelPosition() throws IOException { FileChannel channel = FileChannel.open(file()); channel.close(); channel.position(); }
    @Found("ChannelClosed")
    static void fileChannelLock() throws IOException { FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE); channel.close(); channel.lock(); }
    @Found("ChannelClosed")
    static void byteChannelWrite() throws IOException { SeekableByteChannel channel = Files.newByteChannel(file(), StandardOpenOption.WRITE); channel.close(); channel.write(ByteBuffer.allocate(1)); }
    @Found("ChannelClosed")
    static void socketChannelConnect() throws IOException { SocketChannel channel = SocketChannel.open(); channel.close(); channel.connect(new InetSocketAddress("127.0.0.1", 9)); }
    @Found("ChannelClosed")
    static void serverChannelAccept() throws IOException { ServerSocketChannel channel = ServerSocketChannel.open(); channel.close(); channel.accept(); }
    @Found("ChannelClosed")
    static void configureBlocking() throws IOException { SocketChannel channel = SocketChannel.open(); channel.close(); channel.configureBlocking(false); }
    @Found("ChannelClosed")
    static void pipeWrite() throws IOException { Pipe pipe = Pipe.open(); pipe.sink().close(); pipe.sink().write(ByteBuffer.allocate(1)); }
    @Found("StreamReused")
    static void filesListAfterClose() throws IOException { Stream<Path> all = Files.list(Files.createTempDirectory("throws")); all.close(); all.count(); }
    @Found("NeverClosed, StreamReused")
    static void filesLinesTwice() throws IOException { Stream<String> lines = Files.lines(file()); lines.count(); lines.count(); }
    @Found("StreamReused")
    static void filesWalkAfterClose() throws IOException { Stream<Path> all = Files.walk(Files.createTempDirectory("throws")); all.close(); all.iterator(); }
    @Found("DirectoryStreamReused, NeverClosed")
    static void directoryTwice() throws IOException { DirectoryStream<Path> all = Files.newDirectoryStream(Files.createTempDirectory("throws")); all.iterator(); all.iterator(); }
    @Found("DirectoryStreamReused")
    static void directoryAfterClose() throws IOException { DirectoryStream<Path> all = Files.newDirectoryStream(Files.createTempDirectory("throws")); all.close(); all.iterator(); }
    @Found("DirectoryStreamReused")
    static void directoryLoopAfterClose() throws IOException { DirectoryStream<Path> all = Files.newDirectoryStream(Files.createTempDirectory("throws")); all.close(); for (Path p : all) p.toString(); }
    @Found("UrlConnectionLate")
    static void urlConfiguredLate() throws IOException { URLConnection c = file().toUri().toURL().openConnection(); c.connect(); c.setDoInput(true); }
    @Found("UrlConnectionLate")
    static void urlPropertyLate() throws IOException { URLConnection c = file().toUri().toURL().openConnection(); c.connect(); c.setRequestProperty("a", "b"); }
    @Found("UrlConnectionLate")
    static void urlCachesLate() throws IOException { URLConnection c = file().toUri().toURL().openConnection(); c.getInputStream().close(); c.setUseCaches(true); }
}
