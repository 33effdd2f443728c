import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;

/**
 * Runs every snippet of the classes named on the command line and prints how each ended: `returned`, or the exception, the
 * methods whose calls in the snippet ended by it, and the types that have them.
 */
final class Driver {
    public static void main(String[] classes) throws Exception {
        for (String name : classes) {
            Method[] snippets = Class.forName(name).getDeclaredMethods();
            Arrays.sort(snippets, Comparator.comparing(Method::getName));
            for (Method snippet : snippets) {
                if (snippet.isSynthetic() || snippet.getParameterCount() > 0 || snippet.getReturnType() != void.class) {
                    continue;
                }
                snippet.setAccessible(true);
                String end = "returned";
                try {
                    snippet.invoke(null);
                } catch (InvocationTargetException e) {
                    end = e.getCause().getClass().getName() + failed(name, e.getCause());
                }
                System.out.println(name + "." + snippet.getName() + " " + end);
            }
        }
        System.exit(0);
    }

    /** ` METHOD TYPES` per call of a snippet that an exception left. */
    private static String failed(String snippets, Throwable thrown) {
        StringBuilder calls = new StringBuilder();
        StackTraceElement[] frames = thrown.getStackTrace();
        for (int i = 1; i < frames.length; i++) {
            boolean isSnippet = frames[i].getClassName().split("\\$")[0].equals(snippets);
            boolean isOutside = !frames[i - 1].getClassName().equals(frames[i].getClassName());
            if (!isSnippet || !isOutside) continue;
            Set<String> types = new TreeSet<>();
            try {
                add(Class.forName(frames[i - 1].getClassName(), false, Driver.class.getClassLoader()), types);
            } catch (ClassNotFoundException e) {
                continue;
            }
            calls.append(' ').append(frames[i - 1].getMethodName()).append(' ').append(String.join(",", types));
        }
        return calls.toString();
    }

    private static void add(Class<?> type, Set<String> types) {
        if (type == null || !types.add(type.getName())) return;
        add(type.getSuperclass(), types);
        for (Class<?> each : type.getInterfaces()) add(each, types);
    }
}
