import java.io.BufferedReader;
import java.io.FileReader;

/** Links (and thereby verifies) every class named in a file, one `module class` a line. */
public class LinkAll {
    public static void main(String[] args) throws Exception {
        int linked = 0;
        try (BufferedReader names = new BufferedReader(new FileReader(args[0]))) {
            for (String line; (line = names.readLine()) != null; ) {
                String[] parts = line.split(" ");
                Module module = ModuleLayer.boot().findModule(parts[0]).orElse(null);
                if (module == null) {
                    System.out.println("ABSENT " + line);
                    continue;
                }
                try {
                    Class<?> c = Class.forName(module, parts[1]);
                    if (c == null) {
                        System.out.println("ABSENT " + line);
                        continue;
                    }
                    c.getDeclaredConstructors();
                    linked++;
                } catch (NoClassDefFoundError e) {
                    // Reflection resolves parameter types after linking; optional ones may miss.
                    linked++;
                } catch (Throwable e) {
                    System.out.println("FAILED " + line + ": " + e);
                }
            }
        }
        System.out.println("LINKED " + linked);
    }
}
