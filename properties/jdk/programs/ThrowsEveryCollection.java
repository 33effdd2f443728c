import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/** The clauses of collections, maps, iterators and streams, one by one, as far as other snippets do not have them. */
final class ThrowsEveryCollection {
    @Found("IteratorExhausted")
    static void primitiveLong() throws Exception { PrimitiveIterator.OfLong i = LongStream.empty().iterator(); i.nextLong(); }
    @Found("IteratorExhausted")
    static void primitiveDouble() throws Exception { PrimitiveIterator.OfDouble i = DoubleStream.empty().iterator(); i.nextDouble(); }
    @Found("MapViewComodification")
    static void hashMapKeySet() throws Exception { Map<String, Integer> m = new HashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.keySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void hashMapValues() throws Exception { Map<String, Integer> m = new HashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.values().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void hashMapEntrySet() throws Exception { Map<String, Integer> m = new HashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.entrySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void linkedHashMapKeySet() throws Exception { Map<String, Integer> m = new LinkedHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.keySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void linkedHashMapValues() throws Exception { Map<String, Integer> m = new LinkedHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.values().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void linkedHashMapEntrySet() throws Exception { Map<String, Integer> m = new LinkedHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.entrySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void treeMapKeySet() throws Exception { Map<String, Integer> m = new TreeMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.keySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void treeMapValues() throws Exception { Map<String, Integer> m = new TreeMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.values().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void treeMapEntrySet() throws Exception { Map<String, Integer> m = new TreeMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.entrySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("IteratorComodification")
    static void hashtableKeySet() throws Exception { Map<String, Integer> m = new Hashtable<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.keySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("IteratorComodification")
    static void hashtableValues() throws Exception { Map<String, Integer> m = new Hashtable<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.values().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("IteratorComodification")
    static void hashtableEntrySet() throws Exception { Map<String, Integer> m = new Hashtable<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.entrySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void weakHashMapKeySet() throws Exception { Map<String, Integer> m = new WeakHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.keySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void weakHashMapValues() throws Exception { Map<String, Integer> m = new WeakHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.values().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void weakHashMapEntrySet() throws Exception { Map<String, Integer> m = new WeakHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.entrySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void identityHashMapKeySet() throws Exception { Map<String, Integer> m = new IdentityHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.keySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void identityHashMapValues() throws Exception { Map<String, Integer> m = new IdentityHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.values().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("MapViewComodification")
    static void identityHashMapEntrySet() throws Exception { Map<String, Integer> m = new IdentityHashMap<>(Map.of("a", 1, "b", 2)); Iterator<?> i = m.entrySet().iterator(); i.next(); m.put("c", 3); i.next(); }
    @Found("TraversalComodification")
    static void vectorReplaceAll() throws Exception { Vector<Integer> v = new Vector<>(List.of(2, 1, 3)); v.replaceAll(x -> { v.add(4); return x; }); }
    @Found("TraversalComodification")
    static void vectorSort() throws Exception { Vector<Integer> v = new Vector<>(List.of(2, 1, 3)); v.sort((a, b) -> { v.add(4); return 0; }); }
    @Found("TraversalComodification")
    static void hashtableComputeIfPresent() throws Exception { Hashtable<Integer, Integer> m = new Hashtable<>(Map.of(1, 1)); m.computeIfPresent(1, (k, v) -> { m.put(2, 2); m.put(3, 3); return v; }); }
    @Found("TraversalComodification")
    static void hashtableCompute() throws Exception { Hashtable<Integer, Integer> m = new Hashtable<>(Map.of(1, 1)); m.compute(1, (k, v) -> { m.put(2, 2); m.put(3, 3); return v; }); }
    @Found("TraversalComodification")
    static void hashtableMerge() throws Exception { Hashtable<Integer, Integer> m = new Hashtable<>(Map.of(1, 1)); m.merge(1, 1, (a, b) -> { m.put(2, 2); m.put(3, 3); return a; }); }
    @Found("TraversalComodification")
    static void hashtableComputeIfAbsent() throws Exception { Hashtable<Integer, Integer> m = new Hashtable<>(Map.of(1, 1)); m.computeIfAbsent(5, k -> { m.put(2, 2); m.put(3, 3); return 1; }); }
    @Found("TraversalComodification")
    static void treeMapComputeIfPresent() throws Exception { TreeMap<Integer, Integer> m = new TreeMap<>(Map.of(1, 1)); m.computeIfPresent(1, (k, v) -> { m.put(2, 2); return v; }); }
    @Found("TraversalComodification")
    static void treeMapMerge() throws Exception { TreeMap<Integer, Integer> m = new TreeMap<>(Map.of(1, 1)); m.merge(1, 1, (a, b) -> { m.put(2, 2); return a; }); }
    @Found("TraversalComodification")
    static void hashMapComputeIfPresent() throws Exception { HashMap<Integer, Integer> m = new HashMap<>(Map.of(1, 1)); m.computeIfPresent(1, (k, v) -> { m.put(2, 2); return v; }); }
    @Found("TraversalComodification")
    static void hashMapMerge() throws Exception { HashMap<Integer, Integer> m = new HashMap<>(Map.of(1, 1)); m.merge(1, 1, (a, b) -> { m.put(2, 2); return a; }); }
    @Found("TraversalComodification")
    static void hashMapCompute() throws Exception { HashMap<Integer, Integer> m = new HashMap<>(Map.of(1, 1)); m.compute(1, (k, v) -> { m.put(2, 2); return v; }); }
    @Found("CollectionEmpty")
    static void arrayDequeElement() throws Exception { Deque<String> d = new ArrayDeque<>(); d.element(); }
    @Found("CollectionEmpty")
    static void arrayDequeRemove() throws Exception { Deque<String> d = new ArrayDeque<>(); d.remove(); }
    @Found("CollectionEmpty")
    static void arrayDequeGetFirst() throws Exception { Deque<String> d = new ArrayDeque<>(); d.getFirst(); }
    @Found("CollectionEmpty")
    static void arrayDequeRemoveLast() throws Exception { Deque<String> d = new ArrayDeque<>(); d.removeLast(); }
    @Found("CollectionEmpty")
    static void linkedListElement() throws Exception { LinkedList<String> d = new LinkedList<>(); d.element(); }
    @Found("CollectionEmpty")
    static void linkedListGetFirst() throws Exception { LinkedList<String> d = new LinkedList<>(); d.getFirst(); }
    @Found("CollectionEmpty")
    static void linkedListGetLast() throws Exception { LinkedList<String> d = new LinkedList<>(); d.getLast(); }
    @Found("CollectionEmpty")
    static void linkedListRemoveFirst() throws Exception { LinkedList<String> d = new LinkedList<>(); d.removeFirst(); }
    @Found("CollectionEmpty")
    static void linkedListRemoveLast() throws Exception { LinkedList<String> d = new LinkedList<>(); d.removeLast(); }
    @Found("CollectionEmpty")
    static void linkedListPop() throws Exception { LinkedList<String> d = new LinkedList<>(); d.pop(); }
    @Found("CollectionEmpty")
    static void treeSetLast() throws Exception { SortedSet<String> d = new TreeSet<>(); d.last(); }
    @Found("CollectionEmpty")
    static void treeMapFirstKey() throws Exception { SortedMap<String, String> d = new TreeMap<>(); d.firstKey(); }
    @Found("CollectionEmpty")
    static void vectorLastElement() throws Exception { Vector<String> d = new Vector<>(); d.lastElement(); }
    @Found("CollectionEmpty")
    static void linkedBlockingDequeElement() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(); d.element(); }
    @Found("CollectionEmpty")
    static void linkedBlockingDequeRemove() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(); d.remove(); }
    @Found("CollectionEmpty")
    static void linkedBlockingDequeGetFirst() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(); d.getFirst(); }
    @Found("CollectionEmpty")
    static void linkedBlockingDequeGetLast() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(); d.getLast(); }
    @Found("CollectionEmpty")
    static void linkedBlockingDequeRemoveFirst() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(); d.removeFirst(); }
    @Found("CollectionEmpty")
    static void linkedBlockingDequeRemoveLast() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(); d.removeLast(); }
    @Found("CollectionEmpty")
    static void linkedBlockingDequePop() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(); d.pop(); }
    @Found("CollectionEmpty")
    static void concurrentDequeElement() throws Exception { ConcurrentLinkedDeque<String> d = new ConcurrentLinkedDeque<>(); d.element(); }
    @Found("CollectionEmpty")
    static void concurrentDequeRemove() throws Exception { ConcurrentLinkedDeque<String> d = new ConcurrentLinkedDeque<>(); d.remove(); }
    @Found("CollectionEmpty")
    static void concurrentDequeGetFirst() throws Exception { ConcurrentLinkedDeque<String> d = new ConcurrentLinkedDeque<>(); d.getFirst(); }
    @Found("CollectionEmpty")
    static void concurrentDequeGetLast() throws Exception { ConcurrentLinkedDeque<String> d = new ConcurrentLinkedDeque<>(); d.getLast(); }
    @Found("CollectionEmpty")
    static void concurrentDequeRemoveFirst() throws Exception { ConcurrentLinkedDeque<String> d = new ConcurrentLinkedDeque<>(); d.removeFirst(); }
    @Found("CollectionEmpty")
    static void concurrentDequeRemoveLast() throws Exception { ConcurrentLinkedDeque<String> d = new ConcurrentLinkedDeque<>(); d.removeLast(); }
    @Found("CollectionEmpty")
    static void concurrentDequePop() throws Exception { ConcurrentLinkedDeque<String> d = new ConcurrentLinkedDeque<>(); d.pop(); }
    @Found("CollectionEmpty")
    static void delayQueueElement() throws Exception { Queue<Delayed> d = new DelayQueue<>(); d.element(); }
    @Found("CollectionEmpty")
    static void delayQueueRemove() throws Exception { Queue<Delayed> d = new DelayQueue<>(); d.remove(); }
    @Found("CollectionEmpty")
    static void skipListMapFirstKey() throws Exception { ConcurrentSkipListMap<String, String> d = new ConcurrentSkipListMap<>(); d.firstKey(); }
    @Found("CollectionEmpty")
    static void skipListMapLastKey() throws Exception { ConcurrentSkipListMap<String, String> d = new ConcurrentSkipListMap<>(); d.lastKey(); }
    @Found("CollectionEmpty")
    static void skipListSetFirst() throws Exception { ConcurrentSkipListSet<String> d = new ConcurrentSkipListSet<>(); d.first(); }
    @Found("CollectionEmpty")
    static void skipListSetLast() throws Exception { ConcurrentSkipListSet<String> d = new ConcurrentSkipListSet<>(); d.last(); }
    @Found("CollectionEmpty")
    static void subSetFirst() throws Exception { SortedSet<Integer> d = new TreeSet<>(Set.of(1, 9)).subSet(3, 5); d.first(); }
    @Found("CollectionEmpty")
    static void subSetLast() throws Exception { SortedSet<Integer> d = new TreeSet<>(Set.of(1, 9)).subSet(3, 5); d.last(); }
    @Found("CollectionEmpty")
    static void tailMapFirstKey() throws Exception { SortedMap<Integer, Integer> d = new TreeMap<>(Map.of(1, 9)).tailMap(3); d.firstKey(); }
    @Found("CollectionEmpty")
    static void tailMapLastKey() throws Exception { SortedMap<Integer, Integer> d = new TreeMap<>(Map.of(1, 9)).tailMap(3); d.lastKey(); }
    @Found("QueueFull")
    static void fullDequeAdd() throws Exception { Deque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.add("b"); }
    @Found("QueueFull")
    static void fullDequeAddAll() throws Exception { Deque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.addAll(List.of("b", "c")); }
    @Found("QueueFull")
    static void fullDequeAddLast() throws Exception { Deque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.addLast("b"); }
    @Found("QueueFull")
    static void fullDequeAddFirst() throws Exception { Deque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.addFirst("b"); }
    @Found("QueueFull")
    static void fullDequePush() throws Exception { Deque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.push("b"); }
    @Found("QueueFull")
    static void fullBlockingDequeAdd() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.add("b"); }
    @Found("QueueFull")
    static void fullBlockingDequeAddAll() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.addAll(List.of("b", "c")); }
    @Found("QueueFull")
    static void fullBlockingDequeAddLast() throws Exception { LinkedBlockingDeque<String> d = new LinkedBlockingDeque<>(1); d.add("a"); d.addLast("b"); }
    @Found("QueueFull")
    static void fullQueueAdd() throws Exception { LinkedBlockingQueue<String> d = new LinkedBlockingQueue<>(1); d.add("a"); d.add("b"); }
    @Found("QueueFull")
    static void fullQueueAddAll() throws Exception { LinkedBlockingQueue<String> d = new LinkedBlockingQueue<>(1); d.add("a"); d.addAll(List.of("b", "c")); }
    @Found("ImmutableCollection")
    static void fixedAddAll() throws Exception { Collection<Integer> l = List.of(1, 2); l.addAll(List.of(3)); }
    @Found("ImmutableCollection")
    static void fixedRemoveAll() throws Exception { Collection<Integer> l = List.of(1, 2); l.removeAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void fixedRetainAll() throws Exception { Collection<Integer> l = List.of(1, 2); l.retainAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void fixedRemoveIf() throws Exception { Collection<Integer> l = List.of(1, 2); l.removeIf(x -> true); }
    @Found("ImmutableCollection")
    static void fixedRemove() throws Exception { Collection<Integer> l = List.of(1, 2); l.remove(1); }
    @Found("ImmutableCollection")
    static void fixedClear() throws Exception { Collection<Integer> l = List.of(1, 2); l.clear(); }
    @Found("ImmutableCollection")
    static void fixedAdd() throws Exception { Collection<Integer> l = List.of(1, 2); l.add(3); }
    @Found("ImmutableCollection")
    static void fixedListAddAll() throws Exception { List<Integer> l = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))); l.addAll(0, List.of(3)); }
    @Found("ImmutableCollection")
    static void fixedListRemoveAll() throws Exception { List<Integer> l = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))); l.removeAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void fixedListRetainAll() throws Exception { List<Integer> l = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))); l.retainAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void fixedListReplaceAll() throws Exception { List<Integer> l = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))); l.replaceAll(x -> x); }
    @Found("ImmutableCollection")
    static void fixedListSet() throws Exception { List<Integer> l = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))); l.set(0, 1); }
    @Found("ImmutableCollection")
    static void fixedListRemove() throws Exception { List<Integer> l = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))); l.remove(0); }
    @Found("ImmutableCollection")
    static void fixedListAdd() throws Exception { List<Integer> l = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))); l.add(0, 1); }
    @Found("ImmutableCollection")
    static void fixedSetAddAll() throws Exception { Set<Integer> s = Set.copyOf(List.of(1, 2)); s.addAll(List.of(3)); }
    @Found("ImmutableCollection")
    static void fixedSetRemoveAll() throws Exception { Set<Integer> s = Set.copyOf(List.of(1, 2)); s.removeAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void fixedSetRetainAll() throws Exception { Set<Integer> s = Set.copyOf(List.of(1, 2)); s.retainAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void fixedMapCompute() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.compute(1, (k, v) -> v); }
    @Found("ImmutableCollection")
    static void fixedMapComputeIfAbsent() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.computeIfAbsent(2, k -> k); }
    @Found("ImmutableCollection")
    static void fixedMapComputeIfPresent() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.computeIfPresent(1, (k, v) -> v); }
    @Found("ImmutableCollection")
    static void fixedMapPutAll() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.putAll(Map.of(3, 4)); }
    @Found("ImmutableCollection")
    static void fixedMapPutIfAbsent() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.putIfAbsent(2, 1); }
    @Found("ImmutableCollection")
    static void fixedMapRemove() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.remove(1); }
    @Found("ImmutableCollection")
    static void fixedMapReplace() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.replace(1, 2); }
    @Found("ImmutableCollection")
    static void fixedMapReplaceAll() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.replaceAll((k, v) -> v); }
    @Found("ImmutableCollection")
    static void fixedMapClear() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.clear(); }
    @Found("ImmutableCollection")
    static void fixedMapPut() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.put(1, 1); }
    @Found("ImmutableCollection")
    static void fixedMapMerge() throws Exception { Map<Integer, Integer> m = Map.of(1, 2); m.merge(1, 1, (a, b) -> a); }
    @Found("ImmutableCollection")
    static void unmodifiableMapCompute() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.compute(1, (k, v) -> v); }
    @Found("ImmutableCollection")
    static void unmodifiableMapComputeIfAbsent() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.computeIfAbsent(2, k -> k); }
    @Found("ImmutableCollection")
    static void unmodifiableMapComputeIfPresent() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.computeIfPresent(1, (k, v) -> v); }
    @Found("ImmutableCollection")
    static void unmodifiableMapPutAll() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.putAll(Map.of(3, 4)); }
    @Found("ImmutableCollection")
    static void unmodifiableMapPutIfAbsent() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.putIfAbsent(2, 1); }
    @Found("ImmutableCollection")
    static void unmodifiableMapRemove() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.remove(1); }
    @Found("ImmutableCollection")
    static void unmodifiableMapReplace() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.replace(1, 2); }
    @Found("ImmutableCollection")
    static void unmodifiableMapReplaceAll() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.replaceAll((k, v) -> v); }
    @Found("ImmutableCollection")
    static void unmodifiableMapClear() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.clear(); }
    @Found("ImmutableCollection")
    static void unmodifiableMapPut() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.put(1, 1); }
    @Found("ImmutableCollection")
    static void unmodifiableMapMerge() throws Exception { Map<Integer, Integer> m = Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))); m.merge(1, 1, (a, b) -> a); }
    @Found("ImmutableCollection")
    static void fixedIteratorSet() throws Exception { ListIterator<Integer> i = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))).listIterator(); i.next(); i.set(3); }
    @Found("ImmutableCollection")
    static void fixedIteratorAdd() throws Exception { ListIterator<Integer> i = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))).listIterator(); i.next(); i.add(3); }
    @Found("ImmutableCollection")
    static void fixedIteratorRemove() throws Exception { ListIterator<Integer> i = Collections.unmodifiableList(new ArrayList<>(List.of(1, 2))).listIterator(); i.next(); i.remove(); }
    @Found("ImmutableCollection")
    static void asListIteratorAdd() throws Exception { ListIterator<Integer> i = Arrays.asList(1, 2).listIterator(); i.next(); i.add(3); }
    @Found("OptionalGet")
    static void emptyIntOrElseThrow() throws Exception { OptionalInt o = IntStream.empty().max(); o.orElseThrow(); }
    @Found("OptionalGet")
    static void emptyLongOrElseThrow() throws Exception { OptionalLong o = LongStream.empty().max(); o.orElseThrow(); }
    @Found("OptionalGet")
    static void emptyLongGetAsLong() throws Exception { OptionalLong o = LongStream.empty().max(); o.getAsLong(); }
    @Found("OptionalGet")
    static void emptyDoubleOrElseThrow() throws Exception { OptionalDouble o = IntStream.empty().average(); o.orElseThrow(); }
    @Found("OptionalGet")
    static void emptyDoubleGetAsDouble() throws Exception { OptionalDouble o = IntStream.empty().average(); o.getAsDouble(); }
    @Found("FormatterClosed")
    static void formatterFlush() throws Exception { Formatter f = new Formatter(); f.close(); f.flush(); }
    @Found("FormatterClosed")
    static void formatterLocale() throws Exception { Formatter f = new Formatter(); f.close(); f.locale(); }
    @Found("FormatterClosed")
    static void formatterToString() throws Exception { Formatter f = new Formatter(); f.close(); f.toString(); }
    @Found("FormatterClosed")
    static void formatterOut() throws Exception { Formatter f = new Formatter(); f.close(); f.out(); }
    @Found("FormatterClosed")
    static void formatterFormat() throws Exception { Formatter f = new Formatter(); f.close(); f.format("x"); }
    @Found("ScannerClosed")
    static void closedScannerFindAll() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.findAll("a"); }
    @Found("ScannerClosed")
    static void closedScannerFindInLine() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.findInLine("a"); }
    @Found("ScannerClosed")
    static void closedScannerFindWithinHorizon() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.findWithinHorizon("a", 5); }
    @Found("ScannerClosed")
    static void closedScannerHasNextBigDecimal() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextBigDecimal(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextBigInteger() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextBigInteger(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextBoolean() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextBoolean(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextByte() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextByte(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextDouble() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextDouble(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextFloat() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextFloat(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextInt() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextInt(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextLine() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextLine(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextLong() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextLong(); }
    @Found("ScannerClosed")
    static void closedScannerHasNextShort() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.hasNextShort(); }
    @Found("ScannerClosed")
    static void closedScannerNextBigDecimal() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextBigDecimal(); }
    @Found("ScannerClosed")
    static void closedScannerNextBigInteger() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextBigInteger(); }
    @Found("ScannerClosed")
    static void closedScannerNextBoolean() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextBoolean(); }
    @Found("ScannerClosed")
    static void closedScannerNextByte() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextByte(); }
    @Found("ScannerClosed")
    static void closedScannerNextDouble() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextDouble(); }
    @Found("ScannerClosed")
    static void closedScannerNextFloat() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextFloat(); }
    @Found("ScannerClosed")
    static void closedScannerNextInt() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextInt(); }
    @Found("ScannerClosed")
    static void closedScannerNextLong() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextLong(); }
    @Found("ScannerClosed")
    static void closedScannerNextShort() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextShort(); }
    @Found("ScannerClosed")
    static void closedScannerNextLine() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.nextLine(); }
    @Found("ScannerClosed")
    static void closedScannerNext() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.next(); }
    @Found("ScannerClosed")
    static void closedScannerSkip() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.skip("a"); }
    @Found("ScannerClosed")
    static void closedScannerTokens() throws Exception { Scanner s = new Scanner("1 2"); s.close(); s.tokens(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextBigDecimal() throws Exception { Scanner s = new Scanner(""); s.nextBigDecimal(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextBigInteger() throws Exception { Scanner s = new Scanner(""); s.nextBigInteger(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextBoolean() throws Exception { Scanner s = new Scanner(""); s.nextBoolean(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextByte() throws Exception { Scanner s = new Scanner(""); s.nextByte(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextDouble() throws Exception { Scanner s = new Scanner(""); s.nextDouble(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextFloat() throws Exception { Scanner s = new Scanner(""); s.nextFloat(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextInt() throws Exception { Scanner s = new Scanner(""); s.nextInt(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextLong() throws Exception { Scanner s = new Scanner(""); s.nextLong(); }
    @Found("ScannerExhausted")
    static void emptyScannerNextShort() throws Exception { Scanner s = new Scanner(""); s.nextShort(); }
    @Found("BuilderMisused")
    static void calendarSet() throws Exception { Calendar.Builder b = new Calendar.Builder().setInstant(1); b.set(Calendar.YEAR, 1); }
    @Found("BuilderMisused")
    static void calendarSetFields() throws Exception { Calendar.Builder b = new Calendar.Builder().setInstant(1); b.setFields(Calendar.YEAR, 1); }
    @Found("BuilderMisused")
    static void calendarSetTimeOfDay() throws Exception { Calendar.Builder b = new Calendar.Builder().setInstant(1); b.setTimeOfDay(1, 1, 1); }
    @Found("BuilderMisused")
    static void calendarSetDate() throws Exception { Calendar.Builder b = new Calendar.Builder().setInstant(1); b.setDate(2000, 1, 1); }
    @Found("BuilderMisused")
    static void calendarInstant() throws Exception { Calendar.Builder b = new Calendar.Builder().setDate(2000, 1, 1); b.setInstant(1); }
    @Found("BuilderMisused")
    static void calendarType() throws Exception { Calendar.Builder b = new Calendar.Builder().setCalendarType("gregory"); b.setCalendarType("japanese"); }
    @Found("StreamReused")
    static void usedStreamFilter() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.filter(x -> true); }
    @Found("StreamReused")
    static void usedStreamMap() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.map(x -> x); }
    @Found("StreamReused")
    static void usedStreamFlatMap() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.flatMap(x -> Stream.of(1)); }
    @Found("StreamReused")
    static void usedStreamDistinct() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.distinct(); }
    @Found("StreamReused")
    static void usedStreamSorted() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.sorted(); }
    @Found("StreamReused")
    static void usedStreamPeek() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.peek(x -> { }); }
    @Found("StreamReused")
    static void usedStreamLimit() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.limit(1); }
    @Found("StreamReused")
    static void usedStreamSkip() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.skip(1); }
    @Found("StreamReused")
    static void usedStreamForEach() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.forEach(x -> { }); }
    @Found("StreamReused")
    static void usedStreamToArray() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.toArray(); }
    @Found("StreamReused")
    static void usedStreamReduce() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.reduce(1, (a, b) -> a); }
    @Found("StreamReused")
    static void usedStreamCollect() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.collect(ArrayList::new, (l, x) -> { }, (a, b) -> { }); }
    @Found("StreamReused")
    static void usedStreamCount() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.count(); }
    @Found("StreamReused")
    static void usedStreamMin() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.min(Comparator.naturalOrder()); }
    @Found("StreamReused")
    static void usedStreamMax() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.max(Comparator.naturalOrder()); }
    @Found("StreamReused")
    static void usedStreamFindFirst() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.findFirst(); }
    @Found("StreamReused")
    static void usedStreamFindAny() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.findAny(); }
    @Found("StreamReused")
    static void usedStreamAnyMatch() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.anyMatch(x -> true); }
    @Found("StreamReused")
    static void usedStreamAllMatch() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.allMatch(x -> true); }
    @Found("StreamReused")
    static void usedStreamNoneMatch() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.noneMatch(x -> true); }
    @Found("StreamReused")
    static void usedStreamIterator() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.iterator(); }
    @Found("StreamReused")
    static void usedStreamSpliterator() throws Exception { Stream<Integer> s = Stream.of(1); s.sorted(); s.spliterator(); }
    @Found("StreamReused")
    static void usedIntStreamFilter() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.filter(x -> true); }
    @Found("StreamReused")
    static void usedIntStreamMap() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.map(x -> x); }
    @Found("StreamReused")
    static void usedIntStreamFlatMap() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.flatMap(x -> IntStream.of(1)); }
    @Found("StreamReused")
    static void usedIntStreamDistinct() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.distinct(); }
    @Found("StreamReused")
    static void usedIntStreamSorted() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.sorted(); }
    @Found("StreamReused")
    static void usedIntStreamPeek() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.peek(x -> { }); }
    @Found("StreamReused")
    static void usedIntStreamLimit() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.limit(1); }
    @Found("StreamReused")
    static void usedIntStreamSkip() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.skip(1); }
    @Found("StreamReused")
    static void usedIntStreamForEach() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.forEach(x -> { }); }
    @Found("StreamReused")
    static void usedIntStreamToArray() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.toArray(); }
    @Found("StreamReused")
    static void usedIntStreamReduce() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.reduce(1, (a, b) -> a); }
    @Found("StreamReused")
    static void usedIntStreamCollect() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.collect(ArrayList::new, (l, x) -> { }, (a, b) -> { }); }
    @Found("StreamReused")
    static void usedIntStreamCount() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.count(); }
    @Found("StreamReused")
    static void usedIntStreamMin() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.min(); }
    @Found("StreamReused")
    static void usedIntStreamMax() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.max(); }
    @Found("StreamReused")
    static void usedIntStreamFindFirst() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.findFirst(); }
    @Found("StreamReused")
    static void usedIntStreamFindAny() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.findAny(); }
    @Found("StreamReused")
    static void usedIntStreamAnyMatch() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.anyMatch(x -> true); }
    @Found("StreamReused")
    static void usedIntStreamAllMatch() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.allMatch(x -> true); }
    @Found("StreamReused")
    static void usedIntStreamNoneMatch() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.noneMatch(x -> true); }
    @Found("StreamReused")
    static void usedIntStreamIterator() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.iterator(); }
    @Found("StreamReused")
    static void usedIntStreamSpliterator() throws Exception { IntStream s = IntStream.of(1); s.sorted(); s.spliterator(); }
    @Found("StreamReused")
    static void usedLongStreamFilter() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.filter(x -> true); }
    @Found("StreamReused")
    static void usedLongStreamMap() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.map(x -> x); }
    @Found("StreamReused")
    static void usedLongStreamFlatMap() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.flatMap(x -> LongStream.of(1)); }
    @Found("StreamReused")
    static void usedLongStreamDistinct() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.distinct(); }
    @Found("StreamReused")
    static void usedLongStreamSorted() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.sorted(); }
    @Found("StreamReused")
    static void usedLongStreamPeek() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.peek(x -> { }); }
    @Found("StreamReused")
    static void usedLongStreamLimit() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.limit(1); }
    @Found("StreamReused")
    static void usedLongStreamSkip() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.skip(1); }
    @Found("StreamReused")
    static void usedLongStreamForEach() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.forEach(x -> { }); }
    @Found("StreamReused")
    static void usedLongStreamToArray() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.toArray(); }
    @Found("StreamReused")
    static void usedLongStreamReduce() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.reduce(1, (a, b) -> a); }
    @Found("StreamReused")
    static void usedLongStreamCollect() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.collect(ArrayList::new, (l, x) -> { }, (a, b) -> { }); }
    @Found("StreamReused")
    static void usedLongStreamCount() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.count(); }
    @Found("StreamReused")
    static void usedLongStreamMin() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.min(); }
    @Found("StreamReused")
    static void usedLongStreamMax() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.max(); }
    @Found("StreamReused")
    static void usedLongStreamFindFirst() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.findFirst(); }
    @Found("StreamReused")
    static void usedLongStreamFindAny() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.findAny(); }
    @Found("StreamReused")
    static void usedLongStreamAnyMatch() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.anyMatch(x -> true); }
    @Found("StreamReused")
    static void usedLongStreamAllMatch() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.allMatch(x -> true); }
    @Found("StreamReused")
    static void usedLongStreamNoneMatch() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.noneMatch(x -> true); }
    @Found("StreamReused")
    static void usedLongStreamIterator() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.iterator(); }
    @Found("StreamReused")
    static void usedLongStreamSpliterator() throws Exception { LongStream s = LongStream.of(1); s.sorted(); s.spliterator(); }
    @Found("StreamReused")
    static void usedDoubleStreamFilter() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.filter(x -> true); }
    @Found("StreamReused")
    static void usedDoubleStreamMap() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.map(x -> x); }
    @Found("StreamReused")
    static void usedDoubleStreamFlatMap() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.flatMap(x -> DoubleStream.of(1)); }
    @Found("StreamReused")
    static void usedDoubleStreamDistinct() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.distinct(); }
    @Found("StreamReused")
    static void usedDoubleStreamSorted() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.sorted(); }
    @Found("StreamReused")
    static void usedDoubleStreamPeek() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.peek(x -> { }); }
    @Found("StreamReused")
    static void usedDoubleStreamLimit() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.limit(1); }
    @Found("StreamReused")
    static void usedDoubleStreamSkip() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.skip(1); }
    @Found("StreamReused")
    static void usedDoubleStreamForEach() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.forEach(x -> { }); }
    @Found("StreamReused")
    static void usedDoubleStreamToArray() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.toArray(); }
    @Found("StreamReused")
    static void usedDoubleStreamReduce() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.reduce(1, (a, b) -> a); }
    @Found("StreamReused")
    static void usedDoubleStreamCollect() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.collect(ArrayList::new, (l, x) -> { }, (a, b) -> { }); }
    @Found("StreamReused")
    static void usedDoubleStreamCount() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.count(); }
    @Found("StreamReused")
    static void usedDoubleStreamMin() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.min(); }
    @Found("StreamReused")
    static void usedDoubleStreamMax() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.max(); }
    @Found("StreamReused")
    static void usedDoubleStreamFindFirst() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.findFirst(); }
    @Found("StreamReused")
    static void usedDoubleStreamFindAny() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.findAny(); }
    @Found("StreamReused")
    static void usedDoubleStreamAnyMatch() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.anyMatch(x -> true); }
    @Found("StreamReused")
    static void usedDoubleStreamAllMatch() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.allMatch(x -> true); }
    @Found("StreamReused")
    static void usedDoubleStreamNoneMatch() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.noneMatch(x -> true); }
    @Found("StreamReused")
    static void usedDoubleStreamIterator() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.iterator(); }
    @Found("StreamReused")
    static void usedDoubleStreamSpliterator() throws Exception { DoubleStream s = DoubleStream.of(1); s.sorted(); s.spliterator(); }
    @Found("BuilderMisused")
    static void builtStreamAccept() throws Exception { Stream.Builder<String> b = Stream.builder(); b.add("a"); b.build(); b.accept("a"); }
    @Found("BuilderMisused")
    static void builtStreamAdd() throws Exception { Stream.Builder<String> b = Stream.builder(); b.add("a"); b.build(); b.add("a"); }
    @Found("BuilderMisused")
    static void builtStreamBuild() throws Exception { Stream.Builder<String> b = Stream.builder(); b.add("a"); b.build(); b.build(); }
    @Found("BuilderMisused")
    static void builtIntStreamAccept() throws Exception { IntStream.Builder b = IntStream.builder(); b.add(1); b.build(); b.accept(1); }
    @Found("BuilderMisused")
    static void builtIntStreamAdd() throws Exception { IntStream.Builder b = IntStream.builder(); b.add(1); b.build(); b.add(1); }
    @Found("BuilderMisused")
    static void builtIntStreamBuild() throws Exception { IntStream.Builder b = IntStream.builder(); b.add(1); b.build(); b.build(); }
    @Found("BuilderMisused")
    static void builtLongStreamAccept() throws Exception { LongStream.Builder b = LongStream.builder(); b.add(1L); b.build(); b.accept(1L); }
    @Found("BuilderMisused")
    static void builtLongStreamAdd() throws Exception { LongStream.Builder b = LongStream.builder(); b.add(1L); b.build(); b.add(1L); }
    @Found("BuilderMisused")
    static void builtLongStreamBuild() throws Exception { LongStream.Builder b = LongStream.builder(); b.add(1L); b.build(); b.build(); }
    @Found("BuilderMisused")
    static void builtDoubleStreamAccept() throws Exception { DoubleStream.Builder b = DoubleStream.builder(); b.add(1.0); b.build(); b.accept(1.0); }
    @Found("BuilderMisused")
    static void builtDoubleStreamAdd() throws Exception { DoubleStream.Builder b = DoubleStream.builder(); b.add(1.0); b.build(); b.add(1.0); }
    @Found("BuilderMisused")
    static void builtDoubleStreamBuild() throws Exception { DoubleStream.Builder b = DoubleStream.builder(); b.add(1.0); b.build(); b.build(); }
    @Found("TraversalComodification")
    static void changedStreamForEach() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.forEach(x -> { }); }
    @Found("TraversalComodification")
    static void changedStreamForEachOrdered() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.forEachOrdered(x -> { }); }
    @Found("TraversalComodification")
    static void changedStreamToArray() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.toArray(); }
    @Found("TraversalComodification")
    static void changedStreamReduce() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.reduce((a, b) -> a); }
    @Found("TraversalComodification")
    static void changedStreamCollect() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.collect(ArrayList::new, (a, x) -> { }, (a, b) -> { }); }
    @Found("TraversalComodification")
    static void changedStreamMax() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.max(Comparator.naturalOrder()); }
    @Found("TraversalComodification")
    static void changedStreamMin() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.min(Comparator.naturalOrder()); }
    @Found("TraversalComodification")
    static void changedStreamAnyMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.anyMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedStreamAllMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.allMatch(x -> x < 9); }
    @Found("TraversalComodification")
    static void changedStreamNoneMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.noneMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedStreamFindFirst() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.findFirst(); }
    @Found("TraversalComodification")
    static void changedStreamFindAny() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.findAny(); }
    @Found("TraversalComodification")
    static void changedStreamFilter() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); Stream<Integer> s = l.stream().peek(x -> l.add(x)); s.filter(x -> true).count(); }
    @Found("TraversalComodification")
    static void changedIntStreamForEach() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.forEach(x -> { }); }
    @Found("TraversalComodification")
    static void changedIntStreamForEachOrdered() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.forEachOrdered(x -> { }); }
    @Found("TraversalComodification")
    static void changedIntStreamToArray() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.toArray(); }
    @Found("TraversalComodification")
    static void changedIntStreamReduce() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.reduce((a, b) -> a); }
    @Found("TraversalComodification")
    static void changedIntStreamCollect() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.collect(ArrayList::new, (a, x) -> { }, (a, b) -> { }); }
    @Found("TraversalComodification")
    static void changedIntStreamMax() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.max(); }
    @Found("TraversalComodification")
    static void changedIntStreamMin() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.min(); }
    @Found("TraversalComodification")
    static void changedIntStreamAnyMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.anyMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedIntStreamAllMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.allMatch(x -> x < 9); }
    @Found("TraversalComodification")
    static void changedIntStreamNoneMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.noneMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedIntStreamFindFirst() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.findFirst(); }
    @Found("TraversalComodification")
    static void changedIntStreamFindAny() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.findAny(); }
    @Found("TraversalComodification")
    static void changedIntStreamFilter() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); IntStream s = l.stream().peek(x -> l.add(x)).mapToInt(x -> x); s.filter(x -> true).count(); }
    @Found("TraversalComodification")
    static void changedLongStreamForEach() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.forEach(x -> { }); }
    @Found("TraversalComodification")
    static void changedLongStreamForEachOrdered() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.forEachOrdered(x -> { }); }
    @Found("TraversalComodification")
    static void changedLongStreamToArray() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.toArray(); }
    @Found("TraversalComodification")
    static void changedLongStreamReduce() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.reduce((a, b) -> a); }
    @Found("TraversalComodification")
    static void changedLongStreamCollect() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.collect(ArrayList::new, (a, x) -> { }, (a, b) -> { }); }
    @Found("TraversalComodification")
    static void changedLongStreamMax() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.max(); }
    @Found("TraversalComodification")
    static void changedLongStreamMin() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.min(); }
    @Found("TraversalComodification")
    static void changedLongStreamAnyMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.anyMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedLongStreamAllMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.allMatch(x -> x < 9); }
    @Found("TraversalComodification")
    static void changedLongStreamNoneMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.noneMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedLongStreamFindFirst() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.findFirst(); }
    @Found("TraversalComodification")
    static void changedLongStreamFindAny() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.findAny(); }
    @Found("TraversalComodification")
    static void changedLongStreamFilter() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); LongStream s = l.stream().peek(x -> l.add(x)).mapToLong(x -> x); s.filter(x -> true).count(); }
    @Found("TraversalComodification")
    static void changedDoubleStreamForEach() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.forEach(x -> { }); }
    @Found("TraversalComodification")
    static void changedDoubleStreamForEachOrdered() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.forEachOrdered(x -> { }); }
    @Found("TraversalComodification")
    static void changedDoubleStreamToArray() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.toArray(); }
    @Found("TraversalComodification")
    static void changedDoubleStreamReduce() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.reduce((a, b) -> a); }
    @Found("TraversalComodification")
    static void changedDoubleStreamCollect() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.collect(ArrayList::new, (a, x) -> { }, (a, b) -> { }); }
    @Found("TraversalComodification")
    static void changedDoubleStreamMax() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.max(); }
    @Found("TraversalComodification")
    static void changedDoubleStreamMin() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.min(); }
    @Found("TraversalComodification")
    static void changedDoubleStreamAnyMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.anyMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedDoubleStreamAllMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.allMatch(x -> x < 9); }
    @Found("TraversalComodification")
    static void changedDoubleStreamNoneMatch() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.noneMatch(x -> x > 9); }
    @Found("TraversalComodification")
    static void changedDoubleStreamFindFirst() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.findFirst(); }
    @Found("TraversalComodification")
    static void changedDoubleStreamFindAny() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.findAny(); }
    @Found("TraversalComodification")
    static void changedDoubleStreamFilter() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); DoubleStream s = l.stream().peek(x -> l.add(x)).mapToDouble(x -> x); s.filter(x -> true).count(); }
    @Found("ImmutableCollection")
    static void asListRemoveAll() throws Exception { List<Integer> l = Arrays.asList(1, 2); l.removeAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void asListRetainAll() throws Exception { List<Integer> l = Arrays.asList(1, 2); l.retainAll(List.of(1)); }
    @Found("ImmutableCollection")
    static void asListClear() throws Exception { List<Integer> l = Arrays.asList(1, 2); l.clear(); }
    @Found("ImmutableCollection")
    static void asListRemove() throws Exception { List<Integer> l = Arrays.asList(1, 2); l.remove(0); }
    @Found("IteratorComodification")
    static void listIteratorRemove() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); ListIterator<Integer> i = l.listIterator(1); i.next(); l.add(4); i.remove(); }
    @Found("IteratorComodification")
    static void listIteratorSet() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); ListIterator<Integer> i = l.listIterator(1); i.next(); l.add(4); i.set(1); }
    @Found("IteratorComodification")
    static void listIteratorAdd() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); ListIterator<Integer> i = l.listIterator(1); i.next(); l.add(4); i.add(1); }
    @Found("IteratorComodification")
    static void listIteratorPrevious() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); ListIterator<Integer> i = l.listIterator(1); i.next(); l.add(4); i.previous(); }
    @Found("IteratorComodification")
    static void listIteratorNext() throws Exception { List<Integer> l = new ArrayList<>(List.of(1, 2, 3)); ListIterator<Integer> i = l.listIterator(1); i.next(); l.add(4); i.next(); }
    @Found("TraversalComodification")
    static void vectorRemoveIf() throws Exception { Vector<Integer> v = new Vector<>(List.of(1, 2)); v.removeIf(x -> { v.add(3); return true; }); }
    @Found("TraversalComodification")
    static void arrayDequeRemoveIf() throws Exception { ArrayDeque<Integer> v = new ArrayDeque<>(100); v.addAll(List.of(1, 2)); v.removeIf(x -> { v.add(3); return true; }); }
    @Found("TraversalComodification")
    static void treeMapCompute() throws Exception { TreeMap<Integer, Integer> m = new TreeMap<>(Map.of(1, 1)); m.compute(1, (a, b) -> { m.put(2, 2); return b; }); }
    @Found("CollectionEmpty")
    static void priorityQueueRemove() throws Exception { new PriorityQueue<String>().remove(); }
}
