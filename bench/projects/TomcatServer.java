import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** An embedded Tomcat on the loopback interface, asked by several threads. */
public class TomcatServer {
    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "echo", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                request.getSession().setAttribute("last", request.getParameter("n"));
                response.setContentType("text/plain");
                response.getWriter().println("n=" + request.getParameter("n"));
            }
        });
        context.addServletMappingDecoded("/echo", "echo");
        tomcat.start();
        String base = "http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/echo?n=";
        HttpClient client = HttpClient.newHttpClient();
        AtomicLong length = new AtomicLong();
        IntStream.range(0, 3000).parallel().forEach(n -> {
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create(base + n)).build();
                length.addAndGet(client.send(request, HttpResponse.BodyHandlers.ofString()).body().length());
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        tomcat.stop();
        tomcat.destroy();
        System.out.println(length);
    }
}
