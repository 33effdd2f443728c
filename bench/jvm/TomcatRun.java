import java.io.*;
import java.net.*;
import java.nio.file.*;
import javax.servlet.*;
import javax.servlet.http.*;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** A server in this process, asked so many times over the loopback: pages that write, flush and forward. */
public class TomcatRun {
    /** What is written goes on and into a log, until that is closed: by the server's threads, and by the main one. */
    static class TeeOutputStream extends FilterOutputStream {
        private OutputStream log = new ByteArrayOutputStream();

        TeeOutputStream(OutputStream out) { super(out); }

        @Override public void write(byte[] bytes) throws IOException {
            out.write(bytes);
            OutputStream log = this.log;
            if (log != null) log.write(bytes);
        }

        void closeLog() throws IOException {
            log.close();
            log = null;
        }
    }

    static final TeeOutputStream OUT = new TeeOutputStream(OutputStream.nullOutputStream());

    static class Pages extends HttpServlet {
        @Override protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            int number = Integer.parseInt(request.getParameter("n"));
            OUT.write(("asked for " + number).getBytes());
            switch (number % 4) {
                case 0: PrintWriter writer = response.getWriter(); writer.println("page " + number); writer.flush(); break;
                case 1: response.getOutputStream().write(("page " + number).getBytes()); break;
                case 2: request.getRequestDispatcher("/page?n=4").forward(request, response); break;
                default: response.getWriter().print("before"); response.flushBuffer();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        Path base = Files.createTempDirectory("tomcat");
        java.util.logging.LogManager.getLogManager().reset();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        tomcat.setHostname("127.0.0.1");
        Context context = tomcat.addContext("", base.toString());
        Tomcat.addServlet(context, "pages", new Pages());
        context.addServletMappingDecoded("/page", "pages");
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        long length = 0;
        for (int n = 0; n < count; n++) {
            URLConnection page = new URL("http://127.0.0.1:" + port + "/page?n=" + n).openConnection();
            try (InputStream in = page.getInputStream()) { length += in.readAllBytes().length; }
        }
        tomcat.stop();
        tomcat.destroy();
        OUT.closeLog();
        System.out.println(length);
        System.exit(0);
    }
}
