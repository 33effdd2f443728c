import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Prints what this JDK has to say about the table of clauses: `type NAME SUPERTYPES` and `method NAME METHOD` for
 * every public type of the packages, from the class files, `hidden NAME SUPERTYPES` for the others; and, if the JDK comes with its sources,
 * `clause TYPE METHOD EXCEPTION` for every exception that the documentation promises for an object in a wrong state.
 */
final class Clauses {
    private static final Map<String, String> MODULES = new TreeMap<>(Map.ofEntries(
        Map.entry("java.lang", "java.base"), Map.entry("java.util", "java.base"),
        Map.entry("java.util.concurrent", "java.base"), Map.entry("java.util.concurrent.locks", "java.base"),
        Map.entry("java.util.stream", "java.base"), Map.entry("java.util.regex", "java.base"),
        Map.entry("java.util.zip", "java.base"), Map.entry("java.util.jar", "java.base"),
        Map.entry("java.io", "java.base"), Map.entry("java.nio", "java.base"),
        Map.entry("java.nio.channels", "java.base"), Map.entry("java.nio.charset", "java.base"),
        Map.entry("java.nio.file", "java.base"),
        Map.entry("java.net", "java.base"), Map.entry("java.security", "java.base"),
        Map.entry("javax.crypto", "java.base"), Map.entry("java.sql", "java.sql"),
        Map.entry("javax.sql", "java.sql")));

    /** Exceptions that always mean that an object was in a wrong state. */
    private static final Set<String> OF_STATE = Set.of(
        "IllegalStateException", "ConcurrentModificationException", "NoSuchElementException", "EmptyStackException",
        "IllegalMonitorStateException", "IllegalThreadStateException", "ClosedChannelException",
        "NonReadableChannelException", "NonWritableChannelException", "NotYetConnectedException",
        "AlreadyConnectedException", "NotYetBoundException", "AlreadyBoundException", "NoConnectionPendingException",
        "ConnectionPendingException", "IllegalBlockingModeException", "OverlappingFileLockException",
        "ClosedSelectorException", "CancelledKeyException", "ClosedWatchServiceException",
        "ClosedDirectoryStreamException", "ClosedFileSystemException", "BufferOverflowException",
        "BufferUnderflowException", "InvalidMarkException", "ReadOnlyBufferException", "FormatterClosedException",
        "BrokenBarrierException", "ReadPendingException", "WritePendingException", "AcceptPendingException",
        "ShutdownChannelGroupException", "NotActiveException", "RejectedExecutionException");
    /** Exceptions that have other causes, too: their clauses count if they say one of these words. */
    private static final Set<String> OF_MANY_CAUSES =
        Set.of("IOException", "SQLException", "SocketException", "ZipException", "SignatureException");
    private static final Pattern STATE = Pattern.compile(
        "\\bclosed|already|unconnected|not (yet )?(been )?(initialized|connected|bound|marked)|never been marked"
        + "|auto-?commit|current row|insert row|during a transaction|not (readable|writable)"
        + "|no (current|open) |not been called|before (the first|calling)");

    private static final Pattern COMMENT = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("(\\w+)\\s*\\($");
    private static final Pattern TAG =
        Pattern.compile("@(?:throws|exception)\\s+(\\S+)\\s*(.*?)(?=\\s@\\w+\\s|$)");

    public static void main(String[] arguments) throws Exception {
        Set<String> lines = new TreeSet<>();
        for (Map.Entry<String, String> one : MODULES.entrySet()) types(one.getKey(), one.getValue(), lines);
        Path sources = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("java.home") + "/lib/src.zip");
        if (Files.isRegularFile(sources)) {
            try (ZipFile zip = new ZipFile(sources.toFile())) {
                for (ZipEntry entry : Collections.list(zip.entries())) {
                    String[] parts = entry.getName().split("/", 2);
                    int end = parts.length < 2 ? -1 : parts[1].lastIndexOf('/');
                    if (end < 0 || !entry.getName().endsWith(".java")) continue;
                    String folder = parts[1].substring(0, end).replace('/', '.');
                    if (parts[0].equals(MODULES.get(folder))) read(zip, entry, folder, lines);
                }
            }
        }
        lines.forEach(System.out::println);
    }

    private static void types(String folder, String module, Set<String> lines) throws Exception {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module);
        try (Stream<Path> files = Files.list(modules.resolve(folder.replace('.', '/')))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = modules.relativize(file).toString();
                if (!name.endsWith(".class") || name.endsWith("-info.class")) continue;
                name = name.substring(0, name.length() - 6).replace('/', '.');
                Class<?> type = Class.forName(name, false, ClassLoader.getPlatformClassLoader());
                Set<String> above = new TreeSet<>();
                add(type, above);
                lines.add((isVisible(type) ? "type " : "hidden ") + type.getName() + " " + String.join(",", above));
                if (!isVisible(type)) continue;
                for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                    for (Method method : each.getDeclaredMethods()) {
                        if ((method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0) continue;
                        lines.add("method " + type.getName() + " " + method.getName());
                    }
                }
                for (Method method : type.getMethods()) lines.add("method " + type.getName() + " " + method.getName());
            }
        }
    }

    private static boolean isVisible(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
            if ((each.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0) return false;
        }
        return !type.isAnonymousClass() && !type.isLocalClass();
    }

    private static void add(Class<?> type, Set<String> above) {
        if (type == null || !above.add(type.getName())) return;
        add(type.getSuperclass(), above);
        for (Class<?> each : type.getInterfaces()) add(each, above);
    }

    private static void read(ZipFile zip, ZipEntry entry, String folder, Set<String> lines) throws IOException {
        String text;
        try (InputStream in = zip.getInputStream(entry)) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1).replace(".java", "");
        String type = folder + "." + name;
        if (!lines.stream().anyMatch(line -> line.startsWith("type " + type + " "))) return;
        boolean isInterface = Pattern.compile("\npublic (\\w+ |sealed |non-sealed )*interface " + name + "\\b").matcher(text).find();
        Matcher comments = COMMENT.matcher(text);
        while (comments.find()) {
            String declaration = declaration(text.substring(comments.end(), Math.min(text.length(), comments.end() + 2000)));
            Matcher method = NAME.matcher(declaration);
            if (!method.find() || method.group(1).equals(name)) continue;
            boolean isOpen = declaration.matches("(?s).*\\b(public|protected)\\b.*") || isInterface && !declaration.contains("private ");
            if (!isOpen) continue;
            StringBuilder doc = new StringBuilder();
            for (String line : comments.group(1).split("\n")) doc.append(line.strip().replaceFirst("^\\*+", "").strip()).append(' ');
            Matcher tags = TAG.matcher(doc.toString());
            while (tags.find()) {
                String exception = tags.group(1).substring(tags.group(1).lastIndexOf('.') + 1);
                boolean counts = OF_STATE.contains(exception)
                    || OF_MANY_CAUSES.contains(exception) && STATE.matcher(tags.group(2)).find();
                if (counts) lines.add("clause " + type + " " + method.group(1) + " " + exception);
            }
        }
    }

    /** What stands before the parameters of the declaration that a text begins with, without annotations. */
    private static String declaration(String text) {
        String plain = text.replaceAll("@\\w+(\\([^)]*\\))?", "").replaceAll("//[^\n]*", "");
        int end = plain.indexOf('(');
        int other = plain.indexOf(';');
        int body = plain.indexOf('{');
        if (end < 0 || other >= 0 && other < end || body >= 0 && body < end) return "";
        return plain.substring(0, end + 1);
    }
}
