import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;

/** Calls methods of the JDK with spies, and prints what came of it.
 *
 *  Spies are elements, keys, comparators, functions and collections of this program, which note every
 *  reference that they get and every call. Arguments of methods are collections of the JDK with spies in
 *  them, such collections behind proxies, and spies. Arguments of the program name the classes whose
 *  methods are called.
 *
 *  A line of the output is about a method of a class on a receiver, with tabs between: receiver, class,
 *  name, descriptor, `done` or `failed` (it never returned), and what was seen, with semicolons between. */
public class Spies {
    /** How often one method is called at most. */
    static final int MOST = 150;
    static final Map<Object, String> tokens = new IdentityHashMap<>();
    static Set<String> facts = new TreeSet<>();
    static boolean watching;

    static void got(Object object) {
        String token = watching ? tokens.get(object) : null;
        if (token != null) facts.add("handed " + token);
    }

    static void ran(String what) {
        if (watching) facts.add("runs " + what);
    }

    static <T> T token(T object, String name) {
        tokens.put(object, name);
        return object;
    }

    /** An element or a key. All have one hash, so that they are compared. */
    static class Spy implements Comparable<Object> {
        static int count;
        final int id = ++count;

        @Override public boolean equals(Object other) {
            ran("equals");
            got(other);
            return this == other;
        }

        @Override public int hashCode() {
            ran("hashCode");
            return 7;
        }

        @Override public String toString() {
            ran("toString");
            return "spy";
        }

        @Override public int compareTo(Object other) {
            ran("compareTo");
            got(other);
            return other instanceof Spy ? Integer.compare(id, ((Spy) other).id) : 1;
        }
    }

    /** An object of this program that implements an interface: it does what another object does, or what
     *  a function may do. */
    static Object proxy(Class<?> type, Object behind) {
        InvocationHandler handler = (proxy, method, args) -> {
            ran(type.getSimpleName());
            for (Object arg : args == null ? new Object[0] : args) got(arg);
            try {
                if (behind != null) return method.invoke(behind, args);
                if (method.getDeclaringClass() == Object.class) return method.invoke(tokens, args);
                if (method.isDefault() || Modifier.isStatic(method.getModifiers())) return null;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            Class<?> result = method.getReturnType();
            if (type == Comparator.class) return order(args[0], args[1]);
            if (type == IntFunction.class) return new Object[(Integer) args[0]];
            if (result == boolean.class) return false;
            if (result == int.class) return 0;
            if (result == long.class) return 0L;
            if (result == double.class) return 0.0;
            return result == Object.class ? new Spy() : null;
        };
        return Proxy.newProxyInstance(Spies.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    static int order(Object one, Object two) {
        if (one == two) return 0;
        if (one instanceof Spy && two instanceof Spy) {
            return Integer.compare(((Spy) one).id, ((Spy) two).id);
        }
        return Integer.compare(System.identityHashCode(one), System.identityHashCode(two));
    }

    /** Fills a collection or a map with spies. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static <T> T filled(T made, String suffix) {
        for (int n = 0; n < 3; n++) {
            if (made instanceof Map) {
                Object key = token(new Spy(), "key" + suffix), value = token(new Spy(), "value" + suffix);
                ((Map) made).put(key, value);
            } else if (made instanceof Collection) {
                ((Collection) made).add(token(new Spy(), "element" + suffix));
            }
        }
        return made;
    }

    /** Receivers by name. `exact` ones are of the class that the name says, `wrapper`s hold a collection
     *  of this program, all others are the JDK's alone. */
    static final Map<String, Callable<Object>> receivers = new LinkedHashMap<>();

    static void receiver(String name, Callable<Object> made) {
        receivers.put(name, made);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void receivers(String[] made) throws Exception {
        for (String name : made) {
            Constructor<?> constructor;
            try {
                constructor = Class.forName(name).getConstructor();
            } catch (NoSuchMethodException e) {
                continue;
            }
            Callable<Object> exact = () -> filled(constructor.newInstance(), "");
            receiver("exact " + name, exact);
            Object first = exact.call();
            if (first instanceof SortedMap || first instanceof SortedSet || first instanceof PriorityQueue) {
                Constructor<?> sorted = Class.forName(name).getConstructor(Comparator.class);
                receiver("exact " + name + " with a comparator",
                    () -> filled(sorted.newInstance(proxy(Comparator.class, null)), ""));
            }
            for (String view : new String[] {"keySet", "values", "entrySet", "navigableKeySet", "descendingMap",
                    "descendingSet", "iterator", "listIterator", "descendingIterator", "elements", "keys",
                    "firstEntry", "sequencedKeySet"}) {
                try {
                    Method method = first.getClass().getMethod(view);
                    receiver("view " + name + "." + view, () -> method.invoke(exact.call()));
                    if (view.equals("entrySet")) {
                        receiver("view " + name + ".entrySet.next",
                            () -> ((Collection) method.invoke(exact.call())).iterator().next());
                    }
                    if (view.equals("keySet") || view.equals("values") || view.equals("entrySet")) {
                        receiver("view " + name + "." + view + ".iterator",
                            () -> ((Collection) method.invoke(exact.call())).iterator());
                    }
                } catch (NoSuchMethodException e) {
                    // Another kind of collection.
                }
            }
            if (first instanceof Collection) {
                receiver("view " + name + ".iterator after next", () -> advanced(((Collection) exact.call()).iterator()));
            }
            if (first instanceof List) {
                receiver("view " + name + ".listIterator after next",
                    () -> advanced(((List) exact.call()).listIterator()));
                receiver("view " + name + ".subList", () -> ((List) exact.call()).subList(0, 2));
            }
            if (first instanceof NavigableMap) {
                receiver("view " + name + ".headMap", () -> {
                    NavigableMap map = (NavigableMap) exact.call();
                    return map.headMap(map.lastKey(), true);
                });
            }
            if (first instanceof NavigableSet) {
                receiver("view " + name + ".headSet", () -> {
                    NavigableSet set = (NavigableSet) exact.call();
                    return set.headSet(set.last(), true);
                });
            }
        }
        Map<Class<?>, Callable<Object>> behind = new LinkedHashMap<>();
        behind.put(Collection.class, () -> filled(new ArrayDeque(), ""));
        behind.put(List.class, () -> filled(new ArrayList(), ""));
        behind.put(Set.class, () -> filled(new LinkedHashSet(), ""));
        behind.put(SortedSet.class, () -> filled(new TreeSet(), ""));
        behind.put(NavigableSet.class, () -> filled(new TreeSet(), ""));
        behind.put(Map.class, () -> filled(new LinkedHashMap(), ""));
        behind.put(SortedMap.class, () -> filled(new TreeMap(), ""));
        behind.put(NavigableMap.class, () -> filled(new TreeMap(), ""));
        for (String kind : new String[] {"unmodifiable", "synchronized"}) {
            for (var entry : behind.entrySet()) {
                Class<?> type = entry.getKey();
                Method wrap = Collections.class.getMethod(kind + type.getSimpleName(), type);
                receiver("wrapper " + wrap.getName(),
                    () -> wrap.invoke(null, proxy(type, entry.getValue().call())));
                receiver("plain " + wrap.getName(), () -> wrap.invoke(null, entry.getValue().call()));
            }
        }
        receiver("plain ConcurrentHashMap.newKeySet", () -> filled(ConcurrentHashMap.newKeySet(), ""));
        receiver("plain List.of", () -> List.of(element(), element()));
        receiver("plain Set.of", () -> Set.of(element(), element()));
        receiver("plain Map.of", () -> Map.of(token(new Spy(), "key"), token(new Spy(), "value")));
        receiver("plain Arrays.asList", () -> Arrays.asList(element(), element()));
        receiver("plain Collections.singletonList", () -> Collections.singletonList(element()));
        receiver("plain Collections.singleton", () -> Collections.singleton(element()));
        receiver("plain Collections.singletonMap",
            () -> Collections.singletonMap(token(new Spy(), "key"), token(new Spy(), "value")));
        receiver("plain Collections.nCopies", () -> Collections.nCopies(3, element()));
        receiver("plain Collections.enumeration", () -> Collections.enumeration(List.of(element())));
        receiver("plain StringBuilder", StringBuilder::new);
        receiver("plain StringBuffer", StringBuffer::new);
        receiver("plain Object", Object::new);
        receiver("plain StringTokenizer", () -> new StringTokenizer("a b"));
        receiver("plain PrintStream", () -> new java.io.PrintStream(new java.io.ByteArrayOutputStream()));
        receiver("plain PrintWriter", () -> new java.io.PrintWriter(new java.io.StringWriter()));
        receiver("plain StringWriter", java.io.StringWriter::new);
        receiver("plain Stream", () -> List.of(element(), element()).stream());
    }

    static Object advanced(Iterator<?> iterator) {
        iterator.next();
        return iterator;
    }

    static Object element() {
        return token(new Spy(), "element");
    }

    /** What may be passed as a type. Each is made anew for every call. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    static List<Callable<Object>> arguments(Class<?> type, int at, Object receiver) {
        String name = "arg" + at, of = " of " + name;
        if (type == int.class) return List.of(() -> 0, () -> 1);
        if (type == long.class) return List.of(() -> 0L);
        if (type == boolean.class) return List.of(() -> true, () -> false);
        if (type == float.class) return List.of(() -> 0.5f);
        if (type == double.class) return List.of(() -> 0.5);
        if (type == char.class) return List.of(() -> 'x');
        if (type == Object.class || type == Comparable.class) {
            List<Callable<Object>> all = new ArrayList<>();
            all.add(() -> token(new Spy(), name));
            if (type == Object.class) {
                all.add(() -> token(filled(new ArrayList<>(), of), name));
                all.add(() -> token(filled(new HashMap<>(), of), name));
                all.add(() -> token(filled(new HashSet<>(), of), name));
                all.add(() -> proxy(Set.class, new HashSet<>()));
                all.add(() -> proxy(List.class, new ArrayList<>()));
            }
            // Only the first one, or it could not be told from what the method finds.
            if (at <= 1) all.add(() -> held(receiver));
            return all;
        }
        if (type == Object[].class || type == CharSequence[].class || type == Map.Entry[].class) {
            return List.of(() -> {
                if (type != Object[].class) return Array.newInstance(type.getComponentType(), 0);
                return token(new Object[] {null, null, null, null, token(new Spy(), "element" + of)}, name);
            }, () -> token(Array.newInstance(type.getComponentType(), 0), name));
        }
        if (type == char[].class) return List.of(() -> new char[2]);
        if (type == byte[].class) return List.of(() -> new byte[2]);
        if (type == int[].class) return List.of(() -> new int[2]);
        if (type == String.class || type == CharSequence.class) return List.of(() -> "x");
        if (type == StringBuffer.class) return List.of(StringBuffer::new);
        if (type == Class.class) return List.of(() -> Object.class);
        if (type == TimeUnit.class) return List.of(() -> TimeUnit.NANOSECONDS);
        if (type == Comparator.class) return Arrays.asList(() -> null, () -> token(proxy(type, null), name));
        if (type == Enumeration.class) return List.of(() -> filled(new Vector<>(), of).elements());
        if (type == Map.Entry.class) {
            return List.of(() -> filled(new HashMap<>(), of).entrySet().iterator().next());
        }
        if (type != Object.class && type.getName().startsWith("java.util.random.")) {
            return List.of(() -> new Random(1));
        }
        Object[] collections = {new ArrayList(), new TreeSet(), new ArrayDeque(), new HashSet(), new HashMap(),
            new TreeMap(), new PriorityQueue()};
        List<Callable<Object>> all = new ArrayList<>();
        // Texts can be joined.
        if (type == Iterable.class) all.add(() -> new ArrayList<>(List.of("a", "b")));
        for (Object one : collections) {
            if (!type.isInstance(one)) continue;
            Callable<Object> made =
                () -> token(filled(one.getClass().getConstructor().newInstance(), of), name);
            all.add(made);
            if (type.isInterface() && all.size() < 3) all.add(() -> proxy(type, made.call()));
        }
        if (!all.isEmpty()) return all;
        if (type.isInterface()) return List.of(() -> proxy(type, null));
        return type.isAssignableFrom(Random.class) ? List.of(() -> new Random(1)) : Arrays.asList(() -> null);
    }

    /** Something that a receiver has. */
    static Object held(Object receiver) {
        for (Object held : inside(receiver)) {
            String token = tokens.get(held);
            if (token != null && !token.startsWith("value")) return held;
        }
        return new Spy();
    }

    /** What can be taken out of something. */
    static Collection<Object> inside(Object holder) {
        Collection<Object> found = Collections.newSetFromMap(new IdentityHashMap<>());
        look(holder, 0, found);
        found.remove(holder);
        return found;
    }

    static void look(Object holder, int depth, Collection<Object> found) {
        if (holder == null || depth > 3 || !found.add(holder)) return;
        try {
            if (holder instanceof Object[]) {
                for (Object one : (Object[]) holder) look(one, depth + 1, found);
            } else if (holder instanceof Map) {
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) holder).entrySet()) look(entry, depth + 1, found);
            } else if (holder instanceof Map.Entry) {
                look(((Map.Entry<?, ?>) holder).getKey(), depth + 1, found);
                look(((Map.Entry<?, ?>) holder).getValue(), depth + 1, found);
            } else if (holder instanceof Iterable) {
                for (Object one : (Iterable<?>) holder) look(one, depth + 1, found);
            } else if (holder instanceof Iterator) {
                for (Iterator<?> i = (Iterator<?>) holder; i.hasNext();) look(i.next(), depth + 1, found);
            } else if (holder instanceof Enumeration) {
                for (Enumeration<?> i = (Enumeration<?>) holder; i.hasMoreElements();) {
                    look(i.nextElement(), depth + 1, found);
                }
            }
            if (holder instanceof SortedMap) look(((SortedMap<?, ?>) holder).comparator(), 3, found);
            if (holder instanceof SortedSet) look(((SortedSet<?>) holder).comparator(), 3, found);
            if (holder instanceof PriorityQueue) look(((PriorityQueue<?>) holder).comparator(), 3, found);
        } catch (RuntimeException e) {
            // It cannot be looked into now.
        }
    }

    /** Calls a method on a receiver, or a static one or a constructor, with everything that it can be
     *  given; returns whether it ever returned. */
    static boolean exercise(Executable method, Callable<Object> made, Set<String> seen) throws Exception {
        Class<?>[] types = method.getParameterTypes();
        int shift = Modifier.isStatic(method.getModifiers()) ? 0 : 1;
        boolean done = false;
        Random random = new Random(1);
        int rounds = 1;
        for (Class<?> type : types) rounds = Math.min(MOST, rounds * arguments(type, 0, null).size());
        for (int round = 0; round < rounds; round++) {
            int rest = rounds < MOST ? round : random.nextInt(1 << 30);
            tokens.clear();
            Object receiver = made == null ? null : made.call();
            if (receiver != null) token(receiver, "receiver");
            Object[] args = new Object[types.length];
            for (int at = 0; at < types.length; at++) {
                List<Callable<Object>> all = arguments(types[at], at + shift, receiver);
                args[at] = all.get(rest % all.size()).call();
                rest /= all.size();
            }
            facts = seen;
            Object result = null;
            boolean returned = false;
            watching = true;
            try {
                result = invoke(method, receiver, args);
                returned = true;
            } catch (InvocationTargetException | IllegalArgumentException | InstantiationException e) {
                // What was seen until then counts.
            } finally {
                watching = false;
            }
            done |= returned;
            if (returned) judge(method, receiver, args, result, shift, seen);
        }
        // A call may have filled the memory: a set that is added to itself, in some orders of its
        // elements. It has thrown then, and what it filled is not held any longer.
        tokens.clear();
        return done;
    }

    static Object invoke(Executable method, Object receiver, Object[] args) throws Exception {
        if (method instanceof Constructor) return ((Constructor<?>) method).newInstance(args);
        return ((Method) method).invoke(receiver, args);
    }

    static void judge(Executable method, Object receiver, Object[] args, Object result, int shift, Set<String> seen)
            throws Exception {
        boolean makes = method instanceof Constructor;
        Object on = makes ? result : receiver;
        if (!makes && result != null && tokens.containsKey(result)) seen.add("result is " + tokens.get(result));
        // A second call first: looking into an iterator uses it up.
        if (!makes && result != null && !(result instanceof String) && !method.getName().equals("clone")
                && args.length == 0 && !(method.getName().startsWith("next"))) {
            try {
                Object again = invoke(method, receiver, args);
                seen.add(again == result ? "result is the same again" : "result is another again");
            } catch (InvocationTargetException e) {
                // It can be called once.
            }
        }
        if (!makes && result != null && result != receiver) {
            for (Object in : inside(result)) {
                if (tokens.containsKey(in)) seen.add("result holds " + tokens.get(in));
            }
        }
        for (Object in : on == null ? List.of() : inside(on)) {
            String token = tokens.get(in);
            if (token != null && token.contains("arg")) seen.add("receiver holds " + token);
        }
        for (int at = 0; at < args.length; at++) {
            if (args[at] == null || !tokens.containsKey(args[at])) continue;
            for (Object in : inside(args[at])) {
                String token = tokens.get(in);
                if (token != null && !token.endsWith("arg" + (at + shift))) {
                    seen.add("arg" + (at + shift) + " holds " + token);
                }
            }
        }
    }

    static String descriptor(Executable method) {
        StringBuilder text = new StringBuilder("(");
        for (Class<?> type : method.getParameterTypes()) text.append(type.descriptorString());
        text.append(')');
        return text + (method instanceof Method ? ((Method) method).getReturnType().descriptorString() : "V");
    }

    static void print(String... parts) {
        System.out.println(String.join("\t", parts));
    }

    public static void main(String[] names) throws Exception {
        List<Class<?>> types = new ArrayList<>();
        for (String name : names) {
            try {
                types.add(Class.forName(name));
            } catch (ClassNotFoundException e) {
                print("missing", name);
            }
        }
        receivers(Arrays.stream(names).filter(n -> types.stream().anyMatch(
            t -> t.getName().equals(n) && !t.isInterface() && !Modifier.isAbstract(t.getModifiers())
                && (Collection.class.isAssignableFrom(t) || Map.class.isAssignableFrom(t)))).toArray(String[]::new));
        // Static methods and constructors.
        for (Class<?> type : types) {
            // Constructors of streams make files.
            if (type.getName().startsWith("java.io.")) continue;
            Map<Executable, String> all = new LinkedHashMap<>();
            for (Method method : type.getDeclaredMethods()) {
                if (Modifier.isStatic(method.getModifiers()) && Modifier.isPublic(method.getModifiers())) {
                    all.put(method, method.getName());
                }
            }
            if (!Modifier.isAbstract(type.getModifiers())) {
                for (Constructor<?> constructor : type.getConstructors()) all.put(constructor, "<init>");
            }
            for (var entry : all.entrySet()) {
                Set<String> seen = new TreeSet<>();
                boolean done = exercise(entry.getKey(), null, seen);
                tell("static", type, entry.getKey(), entry.getValue(), done, seen);
            }
        }
        for (var entry : receivers.entrySet()) {
            Object first = entry.getValue().call();
            Map<String, Object[]> known = new HashMap<>();
            for (Class<?> type : types) {
                if (!type.isInstance(first) || !Modifier.isPublic(type.getModifiers())) continue;
                for (Method method : type.getMethods()) {
                    if (Modifier.isStatic(method.getModifiers()) || method.getName().startsWith("notify")
                            || method.getName().equals("wait")) continue;
                    if (!Modifier.isPublic(method.getDeclaringClass().getModifiers())) continue;
                    String key = method.getName() + Arrays.toString(method.getParameterTypes());
                    Object[] found = known.get(key);
                    if (found == null) {
                        Set<String> seen = new TreeSet<>();
                        boolean done = exercise(method, entry.getValue(), seen);
                        known.put(key, found = new Object[] {done, seen});
                    }
                    @SuppressWarnings("unchecked")
                    Set<String> seen = (Set<String>) found[1];
                    tell(entry.getKey(), type, method, method.getName(), (Boolean) found[0], seen);
                }
            }
        }
        System.exit(0);
    }

    static void tell(String receiver, Class<?> type, Executable method, String name, boolean done, Set<String> seen) {
        String of = type.getName().replace('.', '/');
        print(receiver, of, name, descriptor(method), done ? "done" : "failed", String.join(";", seen));
    }
}
