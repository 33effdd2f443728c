import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.*;
import java.util.concurrent.*;

/** A server, two kinds of clients and a pool of threads: what agents for telemetry instrument. */
public class Web {
    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = ("hello " + new ArrayList<>(List.of(1, 2)).iterator().next()).getBytes();
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) { out.write(body); }
        });
        ExecutorService pool = Executors.newFixedThreadPool(2);
        server.setExecutor(pool);
        server.start();
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        for (int n = 0; n < 3; n++) {
            try (InputStream in = URI.create(address + "/old").toURL().openStream()) {
                System.out.println(new String(in.readAllBytes()));
            }
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/new")).build();
        System.out.println(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
        List<Future<Integer>> sums = new ArrayList<>();
        for (int n = 0; n < 10; n++) {
            int first = n;
            sums.add(pool.submit(() -> {
                int sum = 0;
                for (int each : List.of(first, 2)) sum += each;
                return sum;
            }));
        }
        int total = 0;
        for (Future<Integer> sum : sums) total += sum.get();
        System.out.println(total);
        List<Integer> list = new ArrayList<>(List.of(1, 2));
        Iterator<Integer> stale = list.iterator();
        list.add(3);
        try { stale.next(); } catch (ConcurrentModificationException e) { System.out.println("changed"); }
        server.stop(0);
        pool.shutdown();
    }
}
