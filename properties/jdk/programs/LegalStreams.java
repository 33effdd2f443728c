import java.io.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.zip.*;

/** Uses of streams, readers, files and sockets that their documentation allows. */
final class LegalStreams {
    /** A writer that is used again after `close`, as the buffers of servlet containers are. */
    static final class Recycled extends Writer {
        private final StringBuilder text = new StringBuilder();
        private boolean closed;
        @Override public void write(char[] chars, int from, int count) throws IOException {
            if (closed) throw new IOException("closed");
            text.append(chars, from, count);
        }
        @Override public void flush() { }
        @Override public void close() { closed = true; }
        void recycle() { closed = false; text.setLength(0); }
    }

    static final class RecycledPrinter extends PrintWriter {
        RecycledPrinter() { super(new StringWriter()); }
        @Override public void close() { flush(); }
    }

    static final class ShieldReader extends FilterReader {
        ShieldReader(Reader in) { super(in); }
        @Override public void close() { }
    }

    static final class ShieldInput extends FilterInputStream {
        ShieldInput(InputStream in) { super(in); }
        @Override public void close() { }
    }

    static final class ShieldOutput extends FilterOutputStream {
        ShieldOutput(OutputStream out) { super(out); }
        @Override public void close() throws IOException { flush(); }
    }

    /** Ends like a stream that was read to the end once it is closed. */
    static final class Ended extends Reader {
        private boolean closed;
        @Override public int read(char[] to, int from, int count) { if (closed) return -1; to[from] = 'x'; return 1; }
        @Override public void close() { closed = true; }
    }

    static final class Sub extends BufferedReader {
        Sub(Reader in) { super(in); }
        @Override public int read() throws IOException { return super.read(); }
        @Override public String readLine() throws IOException { return super.readLine(); }
        @Override public void close() throws IOException { super.close(); }
    }

    static final class Reopened extends StringReader {
        Reopened() { super("text"); }
        @Override public void close() { }
    }

    static final class NullWriter extends Writer {
        @Override public void write(char[] chars, int from, int count) { }
        @Override public void flush() { }
        @Override public void close() { }
    }

    static Path file() throws IOException {
        Path path = Files.createTempFile("legal", ".txt");
        path.toFile().deleteOnExit();
        return Files.writeString(path, "one\ntwo\nthree\n");
    }

    @Legal("WriterClosed")
    static void stringWriterAfterClose() throws IOException {
        StringWriter out = new StringWriter();
        out.write("a");
        out.close();
        out.write("b");
        out.append('c').flush();
    }

    @Legal("WriterClosed")
    static void charArrayWriterAfterClose() {
        CharArrayWriter out = new CharArrayWriter();
        out.close();
        out.write('a');
        out.flush();
    }

    static void byteArrayStreamsAfterClose() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.close();
        out.write(1);
        out.flush();
        ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
        in.close();
        in.read();
        in.available();
        in.reset();
        in.readAllBytes();
    }

    static void subclassOfByteArrayStream() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override public synchronized void write(int b) { super.write(b); }
            @Override public void close() throws IOException { super.close(); }
        };
        out.close();
        out.write(7);
    }

    static void subclassOfStringWriter() throws IOException {
        StringWriter out = new StringWriter() {
            @Override public void close() throws IOException { super.close(); }
        };
        out.close();
        out.write("x");
    }

    static void printWriterAfterClose() {
        PrintWriter out = new PrintWriter(new StringWriter());
        out.close();
        out.flush();
        out.checkError();
    }

    static void printerThatStaysOpen() {
        RecycledPrinter out = new RecycledPrinter();
        out.println("a");
        out.close();
        out.println("b");
        out.write("c");
    }

    static void recycledWriter() throws IOException {
        Recycled out = new Recycled();
        out.write("a");
        out.close();
        out.recycle();
        out.write("b");
    }

    static void nullWriterAfterClose() throws IOException {
        Writer out = new NullWriter();
        out.close();
        out.write("a");
        out.flush();
    }

    static void nullStreamsOfTheJdk() throws IOException {
        try (Writer out = Writer.nullWriter()) { out.write("a"); }
        try (OutputStream out = OutputStream.nullOutputStream()) { out.write(1); }
        try (Reader in = Reader.nullReader()) { in.read(); }
        try (InputStream in = InputStream.nullInputStream()) { in.read(); }
    }

    static void shieldedReader() throws IOException {
        Reader in = new ShieldReader(new StringReader("abc"));
        in.close();
        in.read();
        in.ready();
    }

    static void shieldedInput() throws IOException {
        InputStream in = new ShieldInput(new ByteArrayInputStream(new byte[3]));
        in.close();
        in.read();
        in.available();
    }

    static void shieldedOutput() throws IOException {
        OutputStream out = new ShieldOutput(new ByteArrayOutputStream());
        out.close();
        out.write(1);
    }

    static void readerThatEnds() throws IOException {
        Reader in = new Ended();
        in.close();
        if (in.read() != -1) throw new AssertionError();
    }

    static void readerThatStaysOpen() throws IOException {
        Reader in = new Reopened();
        in.close();
        in.read();
    }

    static void subclassCallsSuper() throws IOException {
        Sub in = new Sub(new StringReader("a\nb"));
        in.read();
        in.readLine();
        in.close();
        in.close();
    }

    static void closedTwice() throws IOException {
        Reader in = new StringReader("a");
        in.close();
        in.close();
        InputStream file = Files.newInputStream(file());
        file.close();
        file.close();
        Writer out = new StringWriter();
        out.close();
        out.close();
    }

    static void wrapperClosedOnce() throws IOException {
        Path path = file();
        try (BufferedReader in = new BufferedReader(new FileReader(path.toFile()))) {
            while (in.readLine() != null) { }
        }
        try (Writer out = new BufferedWriter(new FileWriter(path.toFile()))) { out.write("x"); }
    }

    static void closedStreamIsRight() throws IOException {
        FileInputStream in = new FileInputStream(file().toFile());
        in.close();
        in.getChannel();
        BufferedInputStream buffered = new BufferedInputStream(new ByteArrayInputStream(new byte[2]));
        buffered.close();
        buffered.markSupported();
        buffered.close();
    }

    static void pipedAvailableAfterClose() throws IOException {
        PipedOutputStream out = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(out);
        in.close();
        in.available();
    }

    static void pipedReadToTheEnd() throws IOException {
        PipedOutputStream out = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(out);
        out.write(1);
        out.close();
        in.read();
        if (in.read() != -1) throw new AssertionError();
        in.close();
    }

    static void inflaterReadToTheEnd() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) { out.write("text".getBytes()); }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            in.readAllBytes();
            in.read();
        }
    }

    static void deflaterFlushedAfterFinish() throws IOException {
        GZIPOutputStream out = new GZIPOutputStream(new ByteArrayOutputStream());
        out.write(1);
        out.finish();
        out.flush();
        out.close();
    }

    static void bufferedOutputFlushedAfterClose() throws IOException {
        BufferedOutputStream out = new BufferedOutputStream(new ByteArrayOutputStream());
        out.write(1);
        out.close();
        out.flush();
        out.write(2);
    }

    static void dataOutputAfterClose() throws IOException {
        DataOutputStream out = new DataOutputStream(new ByteArrayOutputStream());
        out.close();
        out.writeInt(1);
        out.flush();
    }

    static void objectStreams() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream out = new ObjectOutputStream(bytes);
        out.writeObject("a");
        out.close();
        out.reset();
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            in.readObject();
        }
    }

    static void systemStreams() {
        PrintStream out = new PrintStream(new ByteArrayOutputStream());
        out.close();
        out.checkError();
        System.out.flush();
    }

    static void sequenceOfStreams() throws IOException {
        SequenceInputStream in = new SequenceInputStream(new ByteArrayInputStream(new byte[1]), new ByteArrayInputStream(new byte[1]));
        in.close();
        in.available();
        in.read();
    }

    static void scannerClosedAndAsked() {
        Scanner in = new Scanner("a b");
        in.next();
        in.close();
        in.delimiter();
        in.ioException();
        in.close();
    }

    @Legal("RandomAccessFileClosed")
    static void randomAccessFileOpen() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
            file.seek(1);
            file.readLine();
            file.write(1);
        }
    }

    @Legal("RandomAccessFileClosed")
    static void randomAccessFileClosedTwice() throws IOException {
        RandomAccessFile file = new RandomAccessFile(file().toFile(), "r");
        file.close();
        file.close();
        file.getFD();
        file.getChannel();
    }

    @Legal("OutputStreamClosed, ZipEntryOpen")
    static void zipWritten() throws IOException {
        ZipOutputStream out = new ZipOutputStream(new ByteArrayOutputStream());
        out.setComment("none");
        out.putNextEntry(new ZipEntry("a"));
        out.write(1);
        out.putNextEntry(new ZipEntry("b"));
        out.write(2);
        out.closeEntry();
        out.closeEntry();
        out.finish();
        out.close();
    }

    @Legal("ZipFileClosed")
    static void zipFileRead() throws IOException {
        Path path = Files.createTempFile("legal", ".zip");
        path.toFile().deleteOnExit();
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(path))) {
            out.putNextEntry(new ZipEntry("a"));
            out.write(1);
        }
        ZipFile zip = new ZipFile(path.toFile());
        Enumeration<? extends ZipEntry> entries = zip.entries();
        while (entries.hasMoreElements()) try (InputStream in = zip.getInputStream(entries.nextElement())) { in.read(); }
        zip.close();
        zip.getName();
        zip.close();
    }

    @Legal("SocketClosed, SocketOutputShut")
    static void socketsTalk() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
             Socket other = server.accept()) {
            client.getOutputStream().write(1);
            client.shutdownOutput();
            other.getInputStream().read();
            other.getOutputStream().write(2);
            if (client.getInputStream().read() != 2) throw new AssertionError();
            client.setSoTimeout(100);
        }
    }

    static void socketClosedAndAsked() throws Exception {
        Socket socket = new Socket();
        socket.close();
        socket.isClosed();
        socket.isConnected();
        socket.getInetAddress();
        socket.close();
    }

    static void serverStopsByClosing() throws Exception {
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        server.close();
        server.isClosed();
        server.getLocalPort();
    }

    static void channelClosedAndAsked() throws IOException {
        FileChannel channel = FileChannel.open(file(), StandardOpenOption.READ);
        channel.read(ByteBuffer.allocate(3));
        channel.close();
        channel.isOpen();
        channel.close();
    }

    @Legal("DirectoryStreamReused, FormatterClosed, JdbcResultSetClosed, StreamReused, WatchServiceClosed")
    static void directoryListed() throws IOException {
        Path folder = Files.createTempDirectory("legal");
        folder.toFile().deleteOnExit();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) { for (Path p : all) p.toString(); }
        try (var all = Files.list(folder)) { all.count(); }
        try (var lines = Files.lines(file())) { lines.count(); }
    }

    @Legal("DirectoryStreamReused, FormatterClosed")
    static void directoryStreamEndsWhenClosed() throws IOException {
        Path folder = Files.createTempDirectory("legal");
        folder.toFile().deleteOnExit();
        DirectoryStream<Path> all = Files.newDirectoryStream(folder);
        Iterator<Path> i = all.iterator();
        all.close();
        i.hasNext();
    }

    @Legal("SelectorClosed")
    static void selectorClosedTwice() throws IOException {
        Selector selector = Selector.open();
        selector.selectNow();
        selector.close();
        selector.close();
        selector.isOpen();
        selector.wakeup();
    }

    @Legal("UrlConnectionLate")
    static void urlConnectionConfiguredFirst() throws IOException {
        URLConnection connection = file().toUri().toURL().openConnection();
        connection.setUseCaches(false);
        connection.setDoInput(true);
        try (InputStream in = connection.getInputStream()) { in.read(); }
        connection.getContentLength();
    }

    static void markedAndReset() throws IOException {
        Reader in = new BufferedReader(new StringReader("abc"));
        in.mark(2);
        in.read();
        in.reset();
        in.close();
    }

    static void failsWhileOpen() throws IOException {
        Reader in = new FilterReader(new StringReader("abc")) {
            @Override public int read() throws IOException { throw new IOException("broken"); }
        };
        try { in.read(); } catch (IOException expected) { in.close(); }
        InputStream bytes = new FilterInputStream(new ByteArrayInputStream(new byte[1])) {
            @Override public int read() throws IOException { throw new IOException("broken"); }
        };
        try { bytes.read(); } catch (IOException expected) { bytes.close(); }
    }

    static void linesReadAndClosed() throws IOException {
        try (BufferedReader in = Files.newBufferedReader(file(), StandardCharsets.UTF_8)) { in.lines().count(); }
        LineNumberReader numbered = new LineNumberReader(new StringReader("a\nb"));
        numbered.readLine();
        numbered.close();
        numbered.getLineNumber();
    }

    static void pushbackReader() throws IOException {
        PushbackReader in = new PushbackReader(new StringReader("ab"));
        in.unread(in.read());
        in.close();
        in.markSupported();
    }

    @Legal("ProcessRunning")
    static void processStreams() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.getInputStream().readAllBytes();
        process.waitFor();
        process.exitValue();
        process.destroy();
    }
}
