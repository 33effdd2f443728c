import java.io.*;
import java.net.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.sql.Connection;
import java.util.*;
import java.util.stream.*;
import java.util.zip.*;

/** What was opened is never closed. */
final class Closing {
    static Path file() throws IOException { return LegalClosing.file(); }

    @Found("NeverClosed")
    static void fileInputStream() throws Exception { new FileInputStream(file().toFile()).read(); }
    @Found("NeverClosed")
    static void throughWrappers() throws Exception { new BufferedReader(new InputStreamReader(new FileInputStream(file().toFile()))).readLine(); }
    @Found("NeverClosed")
    static void fileReader() throws Exception { new BufferedReader(new FileReader(file().toFile())).readLine(); }
    @Found("NeverClosed")
    static void closedUnlessItThrows() throws Exception { FileWriter out = new FileWriter(file().toFile()); try { out.write((String) null, 0, 1); out.close(); } catch (NullPointerException e) { } }
    @Found("NeverClosed")
    static void randomAccessFile() throws Exception { new RandomAccessFile(file().toFile(), "rw").length(); }
    @Found("NeverClosed")
    static void scannerOfFile() throws Exception { new Scanner(file()).next(); }
    @Found("NeverClosed")
    static void printWriterOfFile() throws Exception { new PrintWriter(file().toFile()).flush(); }
    @Found("NeverClosed")
    static void newInputStream() throws Exception { Files.newInputStream(file()).readAllBytes(); }
    @Found("NeverClosed")
    static void newOutputStream() throws Exception { Files.newOutputStream(file()).write(1); }
    @Found("NeverClosed")
    static void lines() throws Exception { Files.lines(file()).map(String::length).count(); }
    @Found("NeverClosed")
    static void walk() throws Exception { Files.walk(Files.createTempDirectory("closing")).forEach(p -> { }); }
    @Found("NeverClosed")
    static void directory() throws Exception { for (Path p : Files.newDirectoryStream(Files.createTempDirectory("closing"))) p.toString(); }
    @Found("NeverClosed")
    static void channel() throws Exception { FileChannel.open(file()).size(); }
    @Found("NeverClosed")
    static void selector() throws Exception { Selector.open().selectNow(); }
    @Found("NeverClosed")
    static void accepted() throws Exception { try (ServerSocket s = new ServerSocket(0); Socket c = new Socket("localhost", s.getLocalPort())) { s.accept().getPort(); } }
    @Found("NeverClosed")
    static void connected() throws Exception { try (ServerSocket s = new ServerSocket(0)) { Socket c = new Socket(); c.connect(s.getLocalSocketAddress()); } }
    @Found("NeverClosed")
    static void datagrams() throws Exception { new DatagramSocket().getLocalPort(); }
    @Found("NeverClosed")
    static void archive() throws Exception { Path p = file(); try (ZipOutputStream z = new ZipOutputStream(Files.newOutputStream(p))) { z.putNextEntry(new ZipEntry("a")); } new ZipFile(p.toFile()).size(); }
    @Found("JdbcNeverClosed")
    static void connection() throws Exception { Connection c = Jdbc.pool().getConnection(); c.createStatement().executeUpdate("x"); }
}
