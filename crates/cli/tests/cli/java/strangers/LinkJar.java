import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Links all classes of jars, each with its own class before those of the others: that verifies them. */
public class LinkJar {
    public static void main(String[] jars) throws Exception {
        int linked = 0;
        for (String jar : jars) {
            List<URL> urls = new ArrayList<>();
            urls.add(new File(jar).toURI().toURL());
            for (String other : jars) if (!other.equals(jar)) urls.add(new File(other).toURI().toURL());
            URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]));
            try (ZipFile zip = new ZipFile(jar)) {
                for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
                    String name = all.nextElement().getName();
                    if (!name.endsWith(".class") || name.endsWith("-info.class") || name.startsWith("META-INF")) continue;
                    name = name.substring(0, name.length() - 6).replace('/', '.');
                    try {
                        Class.forName(name, false, loader).getDeclaredMethods();
                        linked++;
                    } catch (NoClassDefFoundError e) {
                        System.out.println("MISSING " + name);
                    } catch (LinkageError e) {
                        System.out.println("FAILED " + name);
                        System.err.println(name + " " + e);
                    }
                }
            }
        }
        System.out.println("LINKED " + linked);
    }
}
