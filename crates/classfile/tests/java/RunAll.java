import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Runs `main` of a class once for each directory that holds a version of it. */
public class RunAll {
    public static void main(String[] args) throws Exception {
        for (int i = 1; i < args.length; i++) {
            URL[] urls = {Path.of(args[i]).toUri().toURL()};
            System.out.println("== " + i);
            try (URLClassLoader loader = new URLClassLoader(urls, null)) {
                loader.loadClass(args[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (Throwable e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                System.out.println("FAILED " + cause);
            }
        }
    }
}
