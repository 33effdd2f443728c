import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import java.util.stream.*;

/** Uses of collections that their documentation allows. */
final class LegalCollections {
    enum Color { RED, GREEN, BLUE }

    /** A list that does not count its changes: its iterators are not fail-fast. */
    static final class Plain extends AbstractList<String> {
        private String[] all = {"a", "b", "c"};
        @Override public String get(int i) { return all[i]; }
        @Override public int size() { return all.length; }
        @Override public void add(int at, String s) {
            String[] more = Arrays.copyOf(all, all.length + 1);
            System.arraycopy(all, at, more, at + 1, all.length - at);
            more[at] = s;
            all = more;
        }
    }

    /** A list whose `remove(int)` keeps its iterators valid. */
    static class Nodes extends ArrayList<String> {
        @Override public String remove(int at) { return get(at); }
        @Override public boolean remove(Object o) { return contains(o); }
        @Override public void clear() { }
    }

    /** A primitive iterator that is also moved by `nextInt`, as fastutil's are. */
    static final class Ints implements PrimitiveIterator.OfInt {
        private final List<Integer> all;
        private int at;
        private boolean fresh;
        Ints(List<Integer> all) { this.all = all; }
        @Override public boolean hasNext() { return at < all.size(); }
        @Override public int nextInt() { fresh = true; return all.get(at++); }
        @Override public void remove() {
            if (!fresh) throw new IllegalStateException();
            fresh = false;
            all.remove(--at);
        }
    }

    /** A collection whose iterator looks at a copy. */
    static final class Snapshots extends AbstractCollection<String> {
        private final List<String> all = new ArrayList<>();
        @Override public boolean add(String s) { return all.add(s); }
        @Override public boolean remove(Object o) { return all.remove(o); }
        @Override public Iterator<String> iterator() { return new ArrayList<>(all).iterator(); }
        @Override public int size() { return all.size(); }
    }

    static List<String> letters() { return new ArrayList<>(List.of("a", "b", "c", "d")); }

    static Map<String, Integer> numbers(Map<String, Integer> map) {
        map.put("a", 1);
        map.put("b", 2);
        map.put("c", 3);
        return map;
    }

    static void enumSetChangedInLoop() {
        EnumSet<Color> set = EnumSet.of(Color.RED, Color.GREEN);
        for (Color color : set) set.remove(color);
    }

    static void enumSetGrowsInLoop() {
        EnumSet<Color> set = EnumSet.of(Color.RED);
        for (Color color : set) set.add(Color.BLUE);
    }

    static void enumMapChangedInLoop() {
        EnumMap<Color, Integer> map = new EnumMap<>(Color.class);
        map.put(Color.RED, 1);
        for (Color color : map.keySet()) map.put(Color.BLUE, 2);
    }

    static void enumMapRemovedInLoop() {
        EnumMap<Color, Integer> map = new EnumMap<>(Map.of(Color.RED, 1, Color.BLUE, 2));
        for (Color color : map.keySet()) map.remove(color);
    }

    static void copyOnWriteListChangedInLoop() {
        List<String> list = new CopyOnWriteArrayList<>(letters());
        for (String s : list) list.add(s + s);
    }

    static void copyOnWriteSetChangedInLoop() {
        Set<String> set = new CopyOnWriteArraySet<>(letters());
        for (String s : set) set.remove(s);
    }

    static void concurrentMapChangedInLoop() {
        Map<String, Integer> map = numbers(new ConcurrentHashMap<>());
        for (String key : map.keySet()) map.remove(key);
        for (Map.Entry<String, Integer> e : map.entrySet()) map.put(e.getKey() + "x", 1);
    }

    static void skipListChangedInLoop() {
        Map<String, Integer> map = numbers(new ConcurrentSkipListMap<>());
        for (Integer value : map.values()) map.clear();
        Set<String> set = new ConcurrentSkipListSet<>(letters());
        for (String s : set) set.remove("d");
    }

    @Legal("IteratorComodification, IteratorExhausted, IteratorRemove, QueueFull")
    static void concurrentQueuesChangedInLoop() {
        for (Queue<String> queue : List.of(new ConcurrentLinkedQueue<String>(), new ConcurrentLinkedDeque<String>(),
                new LinkedBlockingQueue<String>(), new ArrayBlockingQueue<String>(9), new PriorityBlockingQueue<String>(),
                new LinkedBlockingDeque<String>(), new LinkedTransferQueue<String>())) {
            queue.add("a");
            queue.add("b");
            for (String s : queue) queue.poll();
        }
    }

    static void keySetOfConcurrentMap() {
        Set<String> set = ConcurrentHashMap.newKeySet();
        set.addAll(letters());
        for (String s : set) { set.remove(s); set.add(s + "x"); if (set.size() > 9) break; }
    }

    static void abstractListWithoutModCount() {
        Plain list = new Plain();
        int n = 0;
        for (String s : list) if (n++ < 2) list.add(0, "x");
    }

    static void snapshotIterator() {
        Snapshots all = new Snapshots();
        all.add("a");
        all.add("b");
        for (String s : all) all.remove(s);
    }

    static void arrayAsListReplacedInLoop() {
        List<String> list = Arrays.asList("a", "b");
        for (String s : list) list.set(0, s + s);
        list.sort(null);
    }

    static void subclassThatDoesNotChange() {
        Nodes nodes = new Nodes();
        nodes.addAll(letters());
        for (String s : nodes) { nodes.remove(0); nodes.remove("a"); nodes.clear(); }
    }

    static void setInLoop() {
        List<String> list = letters();
        int i = 0;
        for (String s : list) list.set(i++, s + "!");
    }

    static void setThroughListIterator() {
        for (ListIterator<String> i = letters().listIterator(); i.hasNext(); ) i.set(i.next() + "!");
    }

    static void addThroughListIterator() {
        List<String> list = letters();
        for (ListIterator<String> i = list.listIterator(); i.hasNext(); ) {
            String s = i.next();
            i.add(s + s);
        }
    }

    static void removeThroughIterator() {
        List<String> list = letters();
        for (Iterator<String> i = list.iterator(); i.hasNext(); ) if (i.next().equals("b")) i.remove();
        list.iterator().next();
    }

    static void removeThroughListIteratorBackwards() {
        List<String> list = letters();
        ListIterator<String> i = list.listIterator(list.size());
        while (i.hasPrevious()) { i.previous(); i.remove(); }
    }

    static void removeThroughDescendingIterator() {
        Deque<String> deque = new ArrayDeque<>(letters());
        for (Iterator<String> i = deque.descendingIterator(); i.hasNext(); ) { i.next(); i.remove(); }
        NavigableSet<String> set = new TreeSet<>(letters());
        for (Iterator<String> i = set.descendingIterator(); i.hasNext(); ) { i.next(); i.remove(); }
    }

    @Legal("IteratorRemove")
    static void removeThroughViewIterators() {
        for (Map<String, Integer> map : List.of(new HashMap<String, Integer>(), new TreeMap<String, Integer>(),
                new LinkedHashMap<String, Integer>(), new Hashtable<String, Integer>(), new WeakHashMap<String, Integer>(),
                new IdentityHashMap<String, Integer>())) {
            numbers(map);
            Iterator<String> keys = map.keySet().iterator();
            keys.next();
            keys.remove();
            Iterator<Integer> values = map.values().iterator();
            values.next();
            values.remove();
            Iterator<Map.Entry<String, Integer>> entries = map.entrySet().iterator();
            entries.next();
            entries.remove();
        }
    }

    static void removeThroughIteratorWhileOnlyOneRuns() {
        List<String> list = letters();
        Iterator<String> first = list.iterator();
        first.next();
        first.remove();
        Iterator<String> second = list.iterator();
        while (second.hasNext()) second.next();
    }

    static void removeAfterForEachRemaining() {
        List<String> list = letters();
        Iterator<String> i = list.iterator();
        i.forEachRemaining(s -> { });
        i.remove();
    }

    static void primitiveIteratorRemoves() {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        Ints ints = new Ints(list);
        while (ints.hasNext()) { ints.nextInt(); ints.remove(); }
    }

    static void primitiveIteratorAsIterable() {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
        Iterable<Integer> iterable = () -> new Ints(list);
        Ints ints = (Ints) iterable.iterator();
        ints.nextInt();
        ints.remove();
    }

    static void primitiveIteratorOfStream() {
        PrimitiveIterator.OfInt i = IntStream.range(0, 3).iterator();
        while (i.hasNext()) i.nextInt();
    }

    static void breakAfterChange() {
        List<String> list = letters();
        for (String s : list) if (s.equals("b")) { list.remove(s); break; }
    }

    static void returnAfterChange() {
        Map<String, Integer> map = numbers(new HashMap<>());
        Supplier<String> finder = () -> {
            for (String key : map.keySet()) if (map.remove(key) != null) return key;
            return null;
        };
        finder.get();
        finder.get();
    }

    static void oldIteratorLeftAlone() {
        List<String> list = letters();
        Iterator<String> old = list.iterator();
        old.next();
        list.add("e");
        for (String s : list) s.length();
    }

    static void hasNextAfterChange() {
        List<String> list = letters();
        Iterator<String> i = list.iterator();
        list.add("e");
        i.hasNext();
    }

    static void putOverExistingKey() {
        Map<String, Integer> map = numbers(new HashMap<>());
        for (String key : map.keySet()) map.put(key, 7);
    }

    static void putOverNullValue() {
        Map<String, Integer> map = new HashMap<>();
        map.put("a", null);
        map.put("b", null);
        for (String key : map.keySet()) map.put(key, 7);
    }

    static void putNullOverNull() {
        Map<String, Integer> map = new TreeMap<>();
        map.put("a", null);
        map.put("b", null);
        for (String key : map.keySet()) map.put(key, null);
    }

    static void setValueInLoop() {
        for (Map<String, Integer> map : List.of(new HashMap<String, Integer>(), new TreeMap<String, Integer>())) {
            numbers(map);
            for (Map.Entry<String, Integer> e : map.entrySet()) e.setValue(e.getValue() + 1);
        }
    }

    static void replaceInLoop() {
        Map<String, Integer> map = numbers(new HashMap<>());
        for (String key : map.keySet()) { map.replace(key, 9); map.replace(key, 9, 10); }
    }

    static void mergeOverExistingKey() {
        Map<String, Integer> map = numbers(new LinkedHashMap<>());
        for (String key : map.keySet()) { map.merge(key, 1, Integer::sum); map.compute(key, (k, v) -> v + 1); }
    }

    static void computeIfAbsentOfPresentKey() {
        Map<String, Integer> map = numbers(new HashMap<>());
        for (String key : map.keySet()) { map.computeIfAbsent(key, k -> 1); map.putIfAbsent(key, 2); }
    }

    static void computeIfPresentKeeps() {
        Map<String, Integer> map = numbers(new TreeMap<>());
        for (String key : map.keySet()) map.computeIfPresent(key, (k, v) -> v + 1);
    }

    static void replaceAllInLoop() {
        Map<String, Integer> map = numbers(new HashMap<>());
        for (String key : map.keySet()) map.replaceAll((k, v) -> v + 1);
    }

    static void removeOfMissingKey() {
        Map<String, Integer> map = numbers(new HashMap<>());
        for (String key : map.keySet()) { map.remove("zzz"); map.remove(key, 99); }
    }

    @Legal("ImmutableCollection, IteratorComodification")
    static void removeOfMissingElement() {
        List<String> list = letters();
        for (String s : list) { list.remove("zzz"); list.removeAll(List.of("y")); list.retainAll(letters()); }
        Set<String> set = new HashSet<>(letters());
        for (String s : set) { set.remove("zzz"); set.add(s); }
    }

    static void removeIfFindsNothing() {
        List<String> list = letters();
        for (String s : list) list.removeIf(String::isEmpty);
        Set<String> set = new HashSet<>(letters());
        for (String s : set) set.removeIf(String::isEmpty);
    }

    @Legal("ImmutableCollection")
    static void addAllOfNothing() {
        Set<String> set = new HashSet<>(letters());
        for (String s : set) set.addAll(List.of());
        Map<String, Integer> map = numbers(new HashMap<>());
        for (String s : map.keySet()) map.putAll(Map.of());
    }

    static void removeLastElementOfHashSetAtTheEnd() {
        Set<String> set = new HashSet<>(List.of("only"));
        for (String s : set) set.remove(s);
    }

    static void removeLastEntryOfHashMapAtTheEnd() {
        Map<String, Integer> map = new HashMap<>(Map.of("only", 1));
        for (String key : map.keySet()) map.remove(key);
    }

    static void clearWithoutTraversal() {
        Map<String, Integer> map = numbers(new HashMap<>());
        Set<String> keys = map.keySet();
        map.clear();
        map.put("z", 1);
        for (String key : keys) key.length();
    }

    static void pollOfEmptyQueue() {
        Queue<String> queue = new ArrayDeque<>();
        Iterator<String> i = queue.iterator();
        queue.poll();
        i.hasNext();
        for (String s : queue) queue.poll();
    }

    static void linkedHashMapByAccessRead() {
        Map<String, Integer> map = numbers(new LinkedHashMap<>(16, 0.75f, true));
        for (Map.Entry<String, Integer> e : map.entrySet()) e.getValue();
    }

    static void subListChanged() {
        List<String> list = letters();
        List<String> part = list.subList(1, 3);
        part.add("x");
        part.remove(0);
        part.set(0, "y");
        part.sort(null);
        for (Iterator<String> i = part.iterator(); i.hasNext(); ) { i.next(); i.remove(); }
        part.clear();
        list.add("z");
    }

    static void subListAfterSet() {
        List<String> list = letters();
        List<String> part = list.subList(1, 3);
        list.set(1, "x");
        part.get(0);
    }

    static void subListForgotten() {
        List<String> list = letters();
        list.subList(1, 3).clear();
        list.add("x");
        list.subList(0, 1).get(0);
    }

    static void subMapChanged() {
        TreeMap<String, Integer> map = new TreeMap<>(numbers(new HashMap<>()));
        SortedMap<String, Integer> head = map.headMap("c");
        map.put("aa", 1);
        head.put("ab", 2);
        for (String key : head.keySet()) key.length();
        for (String key : map.descendingMap().keySet()) map.put(key, 1);
    }

    static void forEachReads() {
        List<String> list = letters();
        List<String> other = new ArrayList<>();
        list.forEach(other::add);
        Map<String, Integer> map = numbers(new HashMap<>());
        map.forEach((k, v) -> map.put(k, v + 1));
    }

    static void forEachOfConcurrent() {
        Map<String, Integer> map = numbers(new ConcurrentHashMap<>());
        map.forEach((k, v) -> map.remove(k));
        List<String> list = new CopyOnWriteArrayList<>(letters());
        list.forEach(s -> list.add(s + "x"));
    }

    static void streamChangedBeforeTerminal() {
        List<String> list = letters();
        Stream<String> stream = list.stream();
        list.add("e");
        if (stream.count() != 5) throw new AssertionError();
    }

    static void spliteratorBindsLate() {
        List<String> list = letters();
        Spliterator<String> all = list.spliterator();
        list.add("e");
        all.tryAdvance(s -> { });
    }

    static void removeIfItself() {
        List<String> list = letters();
        list.removeIf(s -> s.equals("a"));
        Map<String, Integer> map = numbers(new HashMap<>());
        map.keySet().removeIf(s -> s.equals("a"));
        map.values().removeIf(v -> v > 1);
        map.entrySet().removeIf(e -> true);
    }

    static void sortItself() {
        List<String> list = letters();
        list.sort(Comparator.reverseOrder());
        Collections.sort(list);
        list.replaceAll(String::toUpperCase);
    }

    static void computeIfAbsentOfOtherMap() {
        Map<String, List<String>> map = new HashMap<>();
        Map<String, Integer> other = new HashMap<>();
        for (String s : letters()) map.computeIfAbsent(s, k -> { other.put(k, 1); return new ArrayList<>(); }).add(s);
    }

    @Legal("EnumerationExhausted")
    static void enumerationOfVector() {
        Vector<String> vector = new Vector<>(letters());
        Enumeration<String> e = vector.elements();
        vector.addElement("e");
        while (e.hasMoreElements()) e.nextElement();
    }

    @Legal("EnumerationExhausted")
    static void enumerationOfHashtable() {
        Hashtable<String, Integer> table = new Hashtable<>(numbers(new HashMap<>()));
        for (Enumeration<String> e = table.keys(); e.hasMoreElements(); ) table.remove(e.nextElement());
    }

    static void enumerationCaught() {
        try {
            Collections.enumeration(letters()).nextElement();
        } catch (NoSuchElementException e) {
            throw new AssertionError(e);
        }
    }

    static void enumerationRenewed() {
        StringTokenizer words = new StringTokenizer("a b,c");
        words.nextToken();
        words.nextToken();
        if (!words.hasMoreTokens()) words = new StringTokenizer("x");
        words.nextToken();
    }

    static void stringTokenizerWithOtherDelimiters() {
        StringTokenizer words = new StringTokenizer("a,b", ";");
        words.nextElement();
        if (words.hasMoreElements()) throw new AssertionError();
    }

    static void iteratorThatGoesOn() {
        Queue<String> queue = new ConcurrentLinkedQueue<>();
        Iterator<String> drain = new Iterator<>() {
            @Override public boolean hasNext() { return !queue.isEmpty(); }
            @Override public String next() { return queue.remove(); }
        };
        drain.hasNext();
        queue.add("a");
        drain.next();
    }

    static void mockedIterator() {
        Iterator<String> mocked = new Iterator<>() {
            @Override public boolean hasNext() { return false; }
            @Override public String next() { return "always"; }
            @Override public void remove() { }
        };
        Iterable<String> made = () -> mocked;
        Iterator<String> i = made.iterator();
        i.remove();
        i.hasNext();
        i.next();
        i.remove();
        i.remove();
    }

    static void proxiedIterator() {
        Iterator<?> mocked = (Iterator<?>) java.lang.reflect.Proxy.newProxyInstance(
            LegalCollections.class.getClassLoader(), new Class<?>[] {Iterator.class},
            (proxy, method, arguments) -> method.getReturnType() == boolean.class ? (Object) false : null);
        mocked.hasNext();
        mocked.next();
        mocked.remove();
    }

    static void listIteratorGoesBackAtTheEnd() {
        ListIterator<String> i = letters().listIterator();
        while (i.hasNext()) i.next();
        i.hasNext();
        i.previous();
        i.next();
    }

    static void listIteratorAddAtTheEnd() {
        List<String> list = letters();
        ListIterator<String> i = list.listIterator(list.size());
        i.hasNext();
        i.add("z");
        i.previous();
        i.next();
    }

    static void listIteratorSetAfterSet() {
        ListIterator<String> i = letters().listIterator();
        i.next();
        i.set("x");
        i.set("y");
        i.remove();
    }

    @Legal("QueueFull")
    static void iteratorOfRecycledQueue() {
        PriorityQueue<String> queue = new PriorityQueue<>(letters());
        for (Iterator<String> i = queue.iterator(); i.hasNext(); ) { i.next(); i.remove(); }
        queue.add("x");
        if (!queue.iterator().next().equals("x")) throw new AssertionError();
    }

    static void emptyIteratorRemovesNothing() {
        Iterator<String> none = Collections.emptyIterator();
        if (none.hasNext()) none.next();
    }

    static void hashSetElementChangedOutside() {
        Set<List<String>> set = new HashSet<>();
        List<String> key = letters();
        set.add(key);
        set.remove(key);
        key.add("e");
        set.contains(key);
        set.add(key);
    }

    static void hashSetElementRemovedByIterator() {
        Set<List<String>> set = new HashSet<>();
        List<String> key = letters();
        set.add(key);
        Iterator<List<String>> i = set.iterator();
        i.next();
        i.remove();
        key.add("e");
        set.contains(key);
    }

    @Legal("IteratorComodification")
    static void hashSetElementRemovedByOthers() {
        for (Consumer<Set<List<String>>> way : List.<Consumer<Set<List<String>>>>of(
                s -> s.removeIf(l -> true), s -> s.removeAll(List.of(letters())), s -> s.retainAll(List.of()),
                Set::clear, s -> { Iterator<?> i = s.iterator(); i.next(); i.remove(); })) {
            Set<List<String>> set = new HashSet<>();
            List<String> key = letters();
            set.add(key);
            way.accept(set);
            key.add("e");
            set.contains(key);
            set.remove(key);
        }
    }

    static void hashSetElementChangedAndBack() {
        Set<List<String>> set = new HashSet<>();
        List<String> key = letters();
        set.add(key);
        key.add("e");
        key.remove("e");
        set.contains(key);
    }

    static void treeSetElementChanged() {
        Set<StringBuilder> set = new TreeSet<>(Comparator.comparing(StringBuilder::length));
        StringBuilder key = new StringBuilder("a");
        set.add(key);
        key.setCharAt(0, 'b');
        set.contains(key);
    }

    static void unmodifiableViewOfChanging() {
        List<String> list = letters();
        List<String> view = Collections.unmodifiableList(list);
        list.add("e");
        for (String s : view) s.length();
        view.size();
    }

    @Legal("ImmutableCollection")
    static void unmodifiableNothingToDo() {
        Collections.emptyList().clear();
        Collections.emptyMap().clear();
        Collections.emptyList().addAll(List.of());
        Collections.emptyList().removeIf(s -> true);
        Collections.emptyList().sort(null);
        Collections.singletonList("a").sort(null);
    }

    static void overriddenUnmodifiable() {
        List<String> copy = new ArrayList<>(List.of("a"));
        copy.add("b");
        List<String> joined = Stream.of("a").collect(Collectors.toList());
        joined.add("b");
        Map<String, Integer> map = new HashMap<>(Map.of("a", 1));
        map.put("b", 1);
    }

    static void asListOfArraySet() {
        String[] array = {"a", "b"};
        Arrays.asList(array).set(0, "x");
        Collections.sort(Arrays.asList(array));
        Collections.shuffle(Arrays.asList(array));
    }

    @Legal("OptionalGet")
    static void optionalAsked() {
        Optional<String> some = Optional.of("a");
        if (some.isPresent()) some.get();
        if (!some.isEmpty()) some.orElseThrow();
        Optional<String> none = Optional.empty();
        if (none.isPresent()) none.get();
        none.orElse("x");
    }

    static void optionalUnasked() {
        Optional.of("a").get();
        OptionalInt.of(1).getAsInt();
        OptionalLong.of(1).getAsLong();
        OptionalDouble.of(1).getAsDouble();
    }

    static void streamOnce() {
        Stream<String> stream = letters().stream();
        stream = stream.filter(s -> true);
        stream = stream.map(s -> s);
        stream.count();
    }

    static void streamClosedAfterUse() {
        try (Stream<String> stream = letters().stream().onClose(() -> { })) {
            stream.filter(s -> true).count();
        }
    }

    static void streamSupplier() {
        Supplier<Stream<String>> all = letters()::stream;
        all.get().count();
        all.get().count();
    }

    static void streamParallelAndSequential() {
        Stream<String> stream = letters().stream();
        stream.parallel();
        stream.sequential();
        stream.isParallel();
        stream.count();
    }

    static void streamIterated() {
        Iterator<String> i = letters().stream().iterator();
        while (i.hasNext()) i.next();
    }

    static void otherLibraryStream() {
        Stream<String> own = streamThatMayBeUsedAgain();
        own.count();
        own.count();
    }

    @SuppressWarnings("unchecked")
    static Stream<String> streamThatMayBeUsedAgain() {
        return (Stream<String>) java.lang.reflect.Proxy.newProxyInstance(LegalCollections.class.getClassLoader(),
            new Class<?>[] {Stream.class}, (proxy, method, arguments) -> method.invoke(letters().stream(), arguments));
    }

    static void synchronizedListLocked() {
        List<String> list = Collections.synchronizedList(letters());
        synchronized (list) {
            for (String s : list) s.length();
            list.stream().count();
        }
        list.forEach(s -> { });
    }

    static void synchronizedMapViewLocked() {
        Map<String, Integer> map = Collections.synchronizedMap(numbers(new HashMap<>()));
        Set<String> keys = map.keySet();
        synchronized (map) { for (String key : keys) key.length(); }
    }

    @Legal("ScannerClosed")
    static void scannerSkipsAfterNoToken() {
        Scanner in = new Scanner("one\n\ntwo");
        in.next();
        in.nextLine();
        in.hasNextInt();
        in.nextLine();
        in.next();
    }

    static void scannerHasNextFalseThenDelimiter() {
        Scanner in = new Scanner("   ");
        in.hasNext();
        in.useDelimiter("x");
        in.next();
    }

    static void bitSetAndCalendar() {
        BitSet bits = new BitSet();
        bits.set(1);
        for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) bits.clear(i);
    }

    static void identityMapRemovedByIterator() {
        Map<String, Integer> map = numbers(new IdentityHashMap<>());
        for (Iterator<Map.Entry<String, Integer>> i = map.entrySet().iterator(); i.hasNext(); ) {
            i.next();
            i.remove();
        }
    }

    @Legal("IteratorExhausted")
    static void propertiesChangedInLoop() {
        Properties all = new Properties();
        all.setProperty("a", "1");
        all.setProperty("b", "2");
        for (Object key : all.keySet()) all.setProperty("c" + key, "3");
        for (String name : all.stringPropertyNames()) all.remove(name);
    }

    static void collectionsListOfEnumeration() {
        Vector<String> vector = new Vector<>(letters());
        Collections.list(vector.elements()).forEach(vector::remove);
    }

    static void copyThenChange() {
        Map<String, Integer> map = numbers(new HashMap<>());
        for (String key : new ArrayList<>(map.keySet())) map.remove(key);
        List<String> list = letters();
        for (String s : list.toArray(new String[0])) list.remove(s);
        for (int i = list.size() - 1; i >= 0; i--) list.remove(i);
    }

    static void trimAndEnsure() {
        ArrayList<String> list = new ArrayList<>(letters());
        list.ensureCapacity(2);
        list.trimToSize();
        Vector<String> vector = new Vector<>(list);
        vector.ensureCapacity(1);
        for (String s : vector) s.length();
    }

    @Legal("IteratorRemove")
    static void wrappersForward() {
        List<String> list = Collections.checkedList(letters(), String.class);
        for (Iterator<String> i = list.iterator(); i.hasNext(); ) { i.next(); i.remove(); }
        Collection<String> synchronised = Collections.synchronizedCollection(letters());
        synchronized (synchronised) {
            for (Iterator<String> i = synchronised.iterator(); i.hasNext(); ) { i.next(); i.remove(); }
        }
    }

    static void iteratorsOverDifferentCollections() {
        List<String> one = letters();
        List<String> two = letters();
        for (String s : one) two.remove(s);
        Set<String> set = new HashSet<>();
        for (String s : one) set.add(s);
    }

    static void recursiveListOfItself() {
        List<Object> list = new ArrayList<>();
        list.add(list);
        for (Object o : list) list.indexOf(new Object());
    }
}
