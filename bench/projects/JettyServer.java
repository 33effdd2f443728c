import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** An embedded Jetty on the loopback interface, asked by several threads. */
public class JettyServer {
    public static void main(String[] args) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                String text = "asked for " + request.getHttpURI().getQuery() + "\n";
                response.write(true, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), callback);
                return true;
            }
        });
        server.start();
        String base = "http://127.0.0.1:" + connector.getLocalPort() + "/?n=";
        HttpClient client = HttpClient.newHttpClient();
        AtomicLong length = new AtomicLong();
        IntStream.range(0, 3000).parallel().forEach(n -> {
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create(base + n)).build();
                length.addAndGet(client.send(request, HttpResponse.BodyHandlers.ofString()).body().length());
            } catch (java.io.IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        server.stop();
        System.out.println(length);
    }
}
