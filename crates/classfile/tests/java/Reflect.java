import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** What the JVM says about subtypes and public methods of the classes named in a file. */
public class Reflect {
    static String descriptor(Class<?> c) {
        return c.descriptorString();
    }

    public static void main(String[] args) throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        try (BufferedReader names = new BufferedReader(new FileReader(args[0]))) {
            for (String line; (line = names.readLine()) != null; ) {
                classes.add(Class.forName(line, false, null));
            }
        }
        StringBuilder out = new StringBuilder();
        for (Class<?> a : classes) {
            out.append("S ").append(a.getName()).append(' ');
            for (Class<?> b : classes) out.append(b.isAssignableFrom(a) ? '1' : '0');
            out.append('\n');
            if (a.isArray()) continue;
            for (Method m : a.getMethods()) {
                if (java.lang.reflect.Modifier.isStatic(m.getModifiers()) && m.getDeclaringClass().isInterface()) continue;
                StringBuilder d = new StringBuilder("(");
                for (Class<?> p : m.getParameterTypes()) d.append(descriptor(p));
                d.append(')').append(descriptor(m.getReturnType()));
                out.append("M ").append(a.getName()).append(' ').append(m.getName()).append(' ').append(d)
                        .append(' ').append(m.getDeclaringClass().getName()).append('\n');
            }
        }
        System.out.print(out);
    }
}
