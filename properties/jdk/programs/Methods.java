import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.stream.Stream;

/** Prints the public methods of the collections, maps and iterators of this JDK, each as `kind name`. */
final class Methods {
    private static final Map<String, Class<?>> KINDS = Map.of(
        "collection", Collection.class, "map", Map.class, "iterator", Iterator.class,
        "spliterator", Spliterator.class, "enumeration", Enumeration.class);

    public static void main(String[] arguments) throws Exception {
        Set<String> all = new TreeSet<>();
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules/java.base");
        for (String folder : List.of("java/util", "java/util/concurrent")) {
            try (Stream<Path> files = Files.list(modules.resolve(folder))) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    String name = modules.relativize(file).toString();
                    if (name.endsWith(".class")) add(name.substring(0, name.length() - 6).replace('/', '.'), all);
                }
            }
        }
        all.forEach(System.out::println);
    }

    private static void add(String name, Set<String> all) throws ClassNotFoundException {
        Class<?> type = Class.forName(name, false, null);
        if (!Modifier.isPublic(type.getModifiers())) return;
        for (Map.Entry<String, Class<?>> kind : KINDS.entrySet()) {
            if (!kind.getValue().isAssignableFrom(type)) continue;
            for (Method method : type.getMethods()) {
                if (method.getDeclaringClass() == Object.class || Modifier.isStatic(method.getModifiers())) continue;
                all.add(kind.getKey() + " " + method.getName());
            }
        }
    }
}
