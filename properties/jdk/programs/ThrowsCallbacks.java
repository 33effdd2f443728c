import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import java.util.zip.*;

/** The method that was called throws, though code of the program is about. */
final class ThrowsCallbacks {
    /** Adds nothing of its own. */
    static final class Ring extends AbstractQueue<String> {
        @Override public boolean offer(String s) { return false; }
        @Override public String poll() { return null; }
        @Override public String peek() { return null; }
        @Override public Iterator<String> iterator() { return Collections.emptyIterator(); }
        @Override public int size() { return 0; }
    }

    static final class Fixed extends AbstractList<String> {
        @Override public String get(int index) { return "x"; }
        @Override public int size() { return 1; }
        @Override public boolean add(String s) { return refuse(); }
        private boolean refuse() { throw new UnsupportedOperationException("fixed"); }
    }

    static final class Loud extends ArrayList<String> {
        final List<String> quiet = List.of();
        @Override public boolean add(String s) { return quiet.add(s); }
    }

    @Found("QueueFull")
    static void ownQueueFull() { new Ring().add("a"); }
    @Found("CollectionEmpty")
    static void ownQueueEmpty() { new Ring().remove(); }
    @Found("ImmutableCollection")
    static void ownListRefuses() { new Fixed().add("a"); }
    @Found("ImmutableCollection")
    static void inheritedRefusal() { new Fixed().remove(0); }
    @Found("ImmutableCollection")
    static void handedOn() { new Loud().add("a"); }
    @Found("ImmutableCollection")
    static void refusedInsideAFunction() { List<String> l = List.of(); new ArrayList<>(List.of("a")).forEach(x -> l.add(x)); }
    @Found("TraversalComodification")
    static void changedByItsFunction() { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); l.forEach(x -> l.add(x)); }
    @Found("TraversalComodification")
    static void changedBySubListAsked() { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); List<Integer> s = l.subList(0, 2); l.add(4); s.isEmpty(); }
    @Found("IteratorExhausted")
    static void ownIteratorExhausted() { new Iterator<String>() { @Override public boolean hasNext() { return false; } @Override public String next() { throw new NoSuchElementException(); } }.next(); }
    @Found("OutputStreamClosed")
    static void ownStreamHandsOn() throws IOException { File f = File.createTempFile("own", ""); f.deleteOnExit(); OutputStream s = new FilterOutputStream(new FileOutputStream(f)) { @Override public void write(int b) throws IOException { super.write(b); } }; s.close(); s.write(1); }
    @Found("StreamReused")
    static void secondOfConcat() { Stream<Integer> x = Stream.of(1), y = Stream.of(2); Stream.concat(x, y); y.map(z -> z); }
    @Found("StreamReused")
    static void usedByUnordered() { Stream<Integer> x = List.of(1, 2).stream(); x.unordered(); x.map(z -> z); }
    @Found("ZipEntryOpen")
    static void writeAfterARefusedEntry() throws IOException { try (ZipOutputStream z = new ZipOutputStream(new ByteArrayOutputStream())) { z.putNextEntry(new ZipEntry("a")); try { z.putNextEntry(new ZipEntry("a")); } catch (ZipException e) { } z.write(1); } }
    @Found("ZipEntryOpen")
    static void writeAfterFinish() throws IOException { ZipOutputStream z = new ZipOutputStream(new ByteArrayOutputStream()); z.putNextEntry(new ZipEntry("a")); z.write(1); z.finish(); z.write(1); }
    @Found("UrlConnectionLate")
    static void propertyAfterContentType() throws IOException { served(c -> { c.getContentType(); c.setRequestProperty("a", "b"); }); }
    @Found("UrlConnectionLate")
    static void methodAfterMessage() throws IOException { served(c -> { c.getResponseMessage(); c.setRequestMethod("POST"); }); }

    interface Asked { void of(HttpURLConnection connection) throws IOException; }

    private static void served(Asked asked) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> { exchange.sendResponseHeaders(200, 2); exchange.getResponseBody().write(new byte[2]); exchange.close(); });
        server.start();
        try {
            URL url = URI.create("http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + server.getAddress().getPort() + "/").toURL();
            asked.of((HttpURLConnection) url.openConnection());
        } finally {
            server.stop(0);
        }
    }
}
