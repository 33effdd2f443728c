import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;

/** Runs every snippet of the classes named on the command line and prints how each ended. */
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
                    end = e.getCause().getClass().getName();
                }
                System.out.println(name + "." + snippet.getName() + " " + end);
            }
        }
        System.exit(0);
    }
}
