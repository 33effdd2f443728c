import java.nio.file.Files;
import java.nio.file.Path;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.util.CheckClassAdapter;

/**
 * Sends class files through ASM's checks of structure, labels and tables: a list of paths, one a
 * line, each with the path of the class it was made from. What ASM does not like about the
 * original is not held against the copy.
 */
public class AsmCheck {
    static Throwable check(String path) {
        try {
            ClassReader reader = new ClassReader(Files.readAllBytes(Path.of(path)));
            reader.accept(new CheckClassAdapter(new ClassWriter(0), false), 0);
            reader.accept(new CheckClassAdapter(new ClassWriter(0), false), ClassReader.EXPAND_FRAMES);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    public static void main(String[] args) throws Exception {
        int checked = 0;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] paths = line.split(" ");
            Throwable problem = check(paths[0]);
            if (problem != null && check(paths[1]) == null) {
                System.out.println("FAILED " + line + ": " + problem);
                for (StackTraceElement e : problem.getStackTrace()) System.out.println("    " + e);
            }
            checked++;
        }
        System.out.println("CHECKED " + checked);
    }
}
