import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Uses of collections that throw, as the documentation says. */
final class ThrowsCollections {
    static List<String> letters() { return new ArrayList<>(List.of("a", "b", "c", "d")); }

    static Map<String, Integer> numbers(Map<String, Integer> map) {
        map.put("a", 1);
        map.put("b", 2);
        map.put("c", 3);
        return map;
    }

    static Map<String, Integer> numbers() { return numbers(new HashMap<>()); }

    @Found("IteratorComodification")
    static void addInLoop() { List<String> l = letters(); for (String s : l) l.add(s); }
    @Found("IteratorComodification")
    static void addAtInLoop() { List<String> l = letters(); for (String s : l) l.add(0, s); }
    @Found("IteratorComodification")
    static void addAllInLoop() { List<String> l = letters(); for (String s : l) l.addAll(List.of("x")); }
    @Found("IteratorComodification")
    static void addAllAtInLoop() { List<String> l = letters(); for (String s : l) l.addAll(0, List.of("x")); }
    @Found("IteratorComodification")
    static void removeInLoop() { List<String> l = letters(); for (String s : l) l.remove(s); }
    @Found("IteratorComodification")
    static void removeAtInLoop() { List<String> l = letters(); for (String s : l) l.remove(0); }
    @Found("IteratorComodification")
    static void removeAllInLoop() { List<String> l = letters(); for (String s : l) l.removeAll(List.of(s)); }
    @Found("IteratorComodification")
    static void removeIfInLoop() { List<String> l = letters(); for (String s : l) l.removeIf(s::equals); }
    @Found("IteratorComodification")
    static void retainAllInLoop() { List<String> l = letters(); for (String s : l) l.retainAll(List.of("c", "d")); }
    @Found("IteratorComodification")
    static void clearInLoop() { List<String> l = letters(); for (String s : l) l.clear(); }
    @Found("IteratorComodification")
    static void sortInLoop() { List<String> l = letters(); for (String s : l) l.sort(null); }
    @Found("IteratorComodification")
    static void collectionsSortInLoop() { List<String> l = letters(); for (String s : l) Collections.sort(l); }
    @Found("IteratorComodification")
    static void collectionsAddAllInLoop() { List<String> l = letters(); for (String s : l) Collections.addAll(l, "x"); }
    @Found("IteratorComodification")
    static void subListClearInLoop() { List<String> l = letters(); for (String s : l) l.subList(0, 1).clear(); }
    @Found("IteratorComodification")
    static void addByReferenceInLoop() { List<String> l = letters(); Consumer<String> adder = l::add; for (String s : l) adder.accept(s); }
    @Found("IteratorComodification")
    static void trimInLoop() { ArrayList<String> l = new ArrayList<>(letters()); for (String s : l) { l.ensureCapacity(99); l.trimToSize(); } }
    @Found("IteratorComodification")
    static void secondIteratorRemoves() {
        List<String> l = letters();
        Iterator<String> one = l.iterator();
        Iterator<String> two = l.iterator();
        one.next();
        two.next();
        two.remove();
        one.next();
    }
    @Found("IteratorComodification")
    static void removeThroughStaleIterator() {
        List<String> l = letters();
        Iterator<String> i = l.iterator();
        i.next();
        l.add("x");
        i.remove();
    }
    @Found("IteratorComodification")
    static void forEachRemainingOfStaleIterator() {
        List<String> l = letters();
        Iterator<String> i = l.iterator();
        l.add("x");
        i.forEachRemaining(s -> { });
    }
    @Found("IteratorComodification")
    static void listIteratorNext() { List<String> l = letters(); ListIterator<String> i = l.listIterator(); l.add("x"); i.next(); }
    @Found("IteratorComodification")
    static void listIteratorAtNext() { List<String> l = letters(); ListIterator<String> i = l.listIterator(2); l.add("x"); i.next(); }
    @Found("IteratorComodification")
    static void listIteratorPrevious() { List<String> l = letters(); ListIterator<String> i = l.listIterator(2); l.add("x"); i.previous(); }
    @Found("IteratorComodification")
    static void listIteratorSet() { List<String> l = letters(); ListIterator<String> i = l.listIterator(); i.next(); l.add("x"); i.set("y"); }
    @Found("IteratorComodification")
    static void listIteratorAdd() { List<String> l = letters(); ListIterator<String> i = l.listIterator(); i.next(); l.add("x"); i.add("y"); }
    @Found("IteratorComodification")
    static void linkedListAddFirst() { LinkedList<String> l = new LinkedList<>(letters()); for (String s : l) l.addFirst("x"); }
    @Found("IteratorComodification")
    static void linkedListOffer() { LinkedList<String> l = new LinkedList<>(letters()); for (String s : l) l.offer("x"); }
    @Found("IteratorComodification")
    static void linkedListPush() { LinkedList<String> l = new LinkedList<>(letters()); for (String s : l) l.push("x"); }
    @Found("IteratorComodification")
    static void linkedListPop() { LinkedList<String> l = new LinkedList<>(letters()); for (String s : l) l.pop(); }
    @Found("IteratorComodification")
    static void linkedListPoll() { LinkedList<String> l = new LinkedList<>(letters()); for (String s : l) l.poll(); }
    @Found("IteratorComodification")
    static void linkedListPollLast() { LinkedList<String> l = new LinkedList<>(letters()); for (String s : l) l.pollLast(); }
    @Found("IteratorComodification")
    static void linkedListRemoveFirstOccurrence() { LinkedList<String> l = new LinkedList<>(letters()); for (String s : l) l.removeFirstOccurrence(s); }
    @Found("IteratorComodification")
    static void linkedListDescending() {
        LinkedList<String> l = new LinkedList<>(letters());
        Iterator<String> i = l.descendingIterator();
        i.next();
        l.removeLast();
        i.next();
    }
    @Found("IteratorComodification")
    static void arrayDequeChanged() { Deque<String> d = new ArrayDeque<>(letters()); Iterator<String> i = d.iterator(); i.next(); d.clear(); i.next(); }
    @Found("IteratorComodification")
    static void priorityQueueChanged() { Queue<String> q = new PriorityQueue<>(letters()); for (String s : q) q.add("x"); }
    @Found("IteratorComodification")
    static void priorityQueuePolled() { Queue<String> q = new PriorityQueue<>(letters()); for (String s : q) q.poll(); }
    @Found("IteratorComodification")
    static void vectorAddElement() { Vector<String> v = new Vector<>(letters()); for (String s : v) v.addElement("x"); }
    @Found("IteratorComodification")
    static void vectorRemoveElementAt() { Vector<String> v = new Vector<>(letters()); for (String s : v) v.removeElementAt(0); }
    @Found("IteratorComodification")
    static void vectorInsertElementAt() { Vector<String> v = new Vector<>(letters()); for (String s : v) v.insertElementAt("x", 0); }
    @Found("IteratorComodification")
    static void vectorRemoveAllElements() { Vector<String> v = new Vector<>(letters()); for (String s : v) v.removeAllElements(); }
    @Found("IteratorComodification")
    static void vectorSetSize() { Vector<String> v = new Vector<>(letters()); for (String s : v) v.setSize(2); }
    @Found("IteratorComodification")
    static void stackPush() { Stack<String> v = new Stack<>(); v.addAll(letters()); for (String s : v) v.push("x"); }
    @Found("IteratorComodification")
    static void stackPop() { Stack<String> v = new Stack<>(); v.addAll(letters()); for (String s : v) v.pop(); }
    @Found("IteratorComodification")
    static void hashSetAdd() { Set<String> s = new HashSet<>(letters()); for (String x : s) s.add(x + x); }
    @Found("IteratorComodification")
    static void hashSetRemove() { Set<String> s = new HashSet<>(letters()); for (String x : s) s.remove(x); }
    @Found("IteratorComodification")
    static void linkedHashSetRemove() { Set<String> s = new LinkedHashSet<>(letters()); for (String x : s) s.remove(x); }
    @Found("IteratorComodification")
    static void treeSetRemove() { Set<String> s = new TreeSet<>(letters()); for (String x : s) s.remove(x); }
    @Found("IteratorComodification")
    static void treeSetPollFirst() { TreeSet<String> s = new TreeSet<>(letters()); for (String x : s) s.pollFirst(); }
    @Found("IteratorComodification")
    static void treeSetDescending() { TreeSet<String> s = new TreeSet<>(letters()); for (String x : s.descendingSet()) s.add(x + x); }
    @Found("IteratorComodification")
    static void treeSetHeadSet() { TreeSet<String> s = new TreeSet<>(letters()); for (String x : s.headSet("c")) s.add(x + x); }
    @Found("IteratorComodification")
    static void setFromMap() { Set<String> s = Collections.newSetFromMap(new HashMap<>()); s.addAll(letters()); for (String x : s) s.remove(x); }
    @Found("IteratorComodification")
    static void unmodifiableViewTraversed() { List<String> l = letters(); for (String s : Collections.unmodifiableList(l)) l.add(s); }
    @Found("IteratorComodification")
    static void synchronizedViewTraversed() {
        List<String> l = letters();
        Collection<String> view = Collections.synchronizedCollection(l);
        synchronized (view) { for (String s : view) l.add(s); }
    }
    @Found("IteratorComodification")
    static void checkedViewTraversed() { List<String> l = letters(); for (String s : Collections.checkedList(l, String.class)) l.add(s); }
    @Found("IteratorComodification")
    static void subclassTraversed() {
        class Mine extends ArrayList<String> { @Override public boolean add(String s) { return super.add(s); } }
        Mine l = new Mine();
        l.addAll(letters());
        for (String s : l) l.add(s);
    }
    @Found("IteratorComodification")
    static void ownIterableTraversed() {
        List<String> l = letters();
        Iterable<String> own = l::iterator;
        for (String s : own) l.add(s);
    }
    @Found("IteratorComodification")
    static void iteratorOfStream() {
        List<String> l = letters();
        Iterator<String> i = l.stream().iterator();
        i.next();
        l.add("x");
        while (i.hasNext()) i.next();
    }
    @Found("IteratorComodification")
    static void otherThreadChanges() throws Exception {
        List<String> l = letters();
        for (String s : l) { Thread t = new Thread(() -> l.add("x")); t.start(); t.join(); }
    }
    @Found("IteratorComodification")
    static void abstractListWithModCount() {
        class Counted extends AbstractList<String> {
            final List<String> all = letters();
            @Override public String get(int i) { return all.get(i); }
            @Override public int size() { return all.size(); }
            @Override public void add(int i, String s) { modCount++; all.add(i, s); }
        }
        Counted l = new Counted();
        for (String s : l) l.add("x");
    }

    @Found("MapViewComodification")
    static void mapPut() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void mapPutValues() { Map<String, Integer> m = numbers(); for (Integer v : m.values()) m.put("z" + v, 1); }
    @Found("MapViewComodification")
    static void mapPutEntries() { Map<String, Integer> m = numbers(); for (Map.Entry<String, Integer> e : m.entrySet()) m.put("z" + e.getKey(), 1); }
    @Found("MapViewComodification")
    static void mapRemove() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.remove(k); }
    @Found("MapViewComodification")
    static void mapRemovePair() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.remove(k, m.get(k)); }
    @Found("MapViewComodification")
    static void mapRemoveNull() { Map<String, Integer> m = new HashMap<>(); m.put("a", null); m.put("b", null); m.put("c", null); for (String k : m.keySet()) m.remove(k); }
    @Found("MapViewComodification")
    static void mapClear() { Map<String, Integer> m = numbers(new TreeMap<>()); Iterator<String> i = m.keySet().iterator(); i.next(); m.clear(); i.next(); }
    @Found("MapViewComodification")
    static void mapPutAll() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.putAll(Map.of("x", 1)); }
    @Found("MapViewComodification")
    static void mapPutIfAbsent() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.putIfAbsent("x", 1); }
    @Found("MapViewComodification")
    static void mapComputeIfAbsent() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.computeIfAbsent("x", x -> 1); }
    @Found("MapViewComodification")
    static void mapCompute() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.compute("x", (x, v) -> 1); }
    @Found("MapViewComodification")
    static void mapComputeToNull() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.compute(k, (x, v) -> null); }
    @Found("MapViewComodification")
    static void mapComputeIfPresentToNull() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.computeIfPresent(k, (x, v) -> null); }
    @Found("MapViewComodification")
    static void mapMerge() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.merge("x", 1, Integer::sum); }
    @Found("MapViewComodification")
    static void mapMergeToNull() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.merge(k, 1, (a, b) -> null); }
    @Found("MapViewComodification")
    static void mapKeySetRemove() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.keySet().remove(k); }
    @Found("MapViewComodification")
    static void mapKeySetRemoveIf() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.keySet().removeIf(x -> true); }
    @Found("MapViewComodification")
    static void mapValuesRemove() { Map<String, Integer> m = numbers(); for (Integer v : m.values()) m.values().remove(v); }
    @Found("MapViewComodification")
    static void mapEntrySetClear() { Map<String, Integer> m = numbers(new TreeMap<>()); Iterator<Integer> i = m.values().iterator(); i.next(); m.entrySet().clear(); i.next(); }
    @Found("MapViewComodification")
    static void mapEntrySetRetainAll() { Map<String, Integer> m = numbers(); for (String k : m.keySet()) m.entrySet().retainAll(Set.of()); }
    @Found("MapViewComodification")
    static void treeMapPut() { Map<String, Integer> m = numbers(new TreeMap<>()); for (String k : m.keySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void treeMapPollFirstEntry() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); for (String k : m.keySet()) m.pollFirstEntry(); }
    @Found("MapViewComodification")
    static void treeMapHeadMap() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); for (String k : m.headMap("c").keySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void treeMapTailMapChanged() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); for (String k : m.keySet()) m.tailMap("b").clear(); }
    @Found("MapViewComodification")
    static void treeMapDescending() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); for (String k : m.descendingMap().keySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void treeMapNavigableKeySet() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); for (String k : m.navigableKeySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void treeMapDescendingKeySet() { TreeMap<String, Integer> m = new TreeMap<>(numbers()); for (String k : m.descendingKeySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void linkedHashMapByAccess() { Map<String, Integer> m = numbers(new LinkedHashMap<>(16, 0.75f, true)); for (String k : m.keySet()) m.get("a"); }
    @Found("MapViewComodification")
    static void linkedHashMapPut() { Map<String, Integer> m = numbers(new LinkedHashMap<>()); for (String k : m.keySet()) m.put(k + k, 1); }
    @Found("IteratorComodification")
    static void hashtablePut() { Map<String, Integer> m = numbers(new Hashtable<>()); for (String k : m.keySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void identityHashMapPut() { Map<String, Integer> m = numbers(new IdentityHashMap<>()); for (String k : m.keySet()) m.put(k + k, 1); }
    @Found("MapViewComodification")
    static void weakHashMapPut() { Map<String, Integer> m = numbers(new WeakHashMap<>()); for (String k : m.keySet()) m.put("x", 1); }
    @Found("IteratorComodification")
    static void unmodifiableMapTraversed() { Map<String, Integer> m = numbers(); for (String k : Collections.unmodifiableMap(m).keySet()) m.remove(k); }
    @Found("IteratorComodification")
    static void synchronizedMapTraversed() {
        Map<String, Integer> m = Collections.synchronizedMap(numbers());
        synchronized (m) { for (String k : m.keySet()) m.remove(k); }
    }
    @Found("MapViewComodification")
    static void keptViewTraversed() {
        Map<String, Integer> m = numbers();
        Set<String> keys = m.keySet();
        m.put("d", 4);
        for (String k : keys) m.remove(k);
    }
    @Found("MapViewComodification")
    static void entryIteratorRemovesStale() {
        Map<String, Integer> m = numbers();
        Iterator<Map.Entry<String, Integer>> i = m.entrySet().iterator();
        i.next();
        m.put("x", 1);
        i.remove();
    }

    @Found("TraversalComodification")
    static void forEachAdds() { List<String> l = letters(); l.forEach(l::add); }
    @Found("TraversalComodification")
    static void forEachRemoves() { Set<String> s = new HashSet<>(letters()); s.forEach(s::remove); }
    @Found("TraversalComodification")
    static void linkedListForEach() { List<String> l = new LinkedList<>(letters()); l.forEach(l::add); }
    @Found("TraversalComodification")
    static void arrayDequeForEach() { Deque<String> d = new ArrayDeque<>(letters()); d.forEach(s -> d.clear()); }
    @Found("TraversalComodification")
    static void mapForEach() { Map<String, Integer> m = numbers(); m.forEach((k, v) -> m.put(k + k, v)); }
    @Found("TraversalComodification")
    static void keySetForEach() { Map<String, Integer> m = numbers(); m.keySet().forEach(m::remove); }
    @Found("TraversalComodification")
    static void treeMapForEach() { Map<String, Integer> m = numbers(new TreeMap<>()); m.forEach((k, v) -> m.put(k + k, v)); }
    @Found("TraversalComodification")
    static void mapReplaceAll() { Map<String, Integer> m = numbers(); m.replaceAll((k, v) -> m.put(k + k, v)); }
    @Found("TraversalComodification")
    static void listReplaceAll() { List<String> l = letters(); l.replaceAll(s -> { l.add("x"); return s; }); }
    @Found("TraversalComodification")
    static void listRemoveIf() { List<String> l = letters(); l.removeIf(s -> l.add("x")); }
    @Found("TraversalComodification")
    static void listSort() { List<String> l = letters(); l.sort((a, b) -> { l.add("x"); return 0; }); }
    @Found("TraversalComodification")
    static void collectionsSort() { List<String> l = letters(); Collections.sort(l, (a, b) -> { l.add("x"); return 0; }); }
    @Found("TraversalComodification")
    static void computeIfAbsentRecursive() { Map<String, Integer> m = numbers(); m.computeIfAbsent("x", x -> m.put("y", 1)); }
    @Found("TraversalComodification")
    static void computeRecursive() { Map<String, Integer> m = numbers(); m.compute("x", (x, v) -> { m.put("y", 1); return 2; }); }
    @Found("TraversalComodification")
    static void mergeRecursive() { Map<String, Integer> m = numbers(); m.merge("a", 1, (a, b) -> { m.put("y", 1); return 2; }); }
    @Found("TraversalComodification")
    static void treeMapComputeRecursive() { Map<String, Integer> m = numbers(new TreeMap<>()); m.computeIfAbsent("x", x -> m.put("y", 1)); }
    @Found("TraversalComodification")
    static void streamForEach() { List<String> l = letters(); l.stream().forEach(l::add); }
    @Found("TraversalComodification")
    static void streamMapCollect() { Set<String> s = new HashSet<>(letters()); s.stream().map(x -> s.remove(x)).collect(Collectors.toList()); }
    @Found("TraversalComodification")
    static void streamOfEntries() { Map<String, Integer> m = numbers(); m.entrySet().stream().filter(e -> m.remove(e.getKey()) != null).count(); }
    @Found("TraversalComodification")
    static void intStreamSum() { List<Integer> l = new ArrayList<>(List.of(1, 2)); l.stream().mapToInt(i -> { l.add(3); return i; }).sum(); }
    @Found("TraversalComodification")
    static void parallelStream() { List<String> l = letters(); l.parallelStream().forEachOrdered(s -> { synchronized (l) { l.add(s); } }); }
    @Found("TraversalComodification")
    static void spliteratorAdvances() { List<String> l = letters(); Spliterator<String> i = l.spliterator(); i.tryAdvance(s -> { }); l.add("x"); i.tryAdvance(s -> { }); }
    @Found("TraversalComodification")
    static void spliteratorForEach() { List<String> l = letters(); l.spliterator().forEachRemaining(l::add); }
    @Found("TraversalComodification")
    static void copyConstructorWhileChanging() { List<String> l = letters(); List<String> p = l.subList(0, 2); l.add("x"); p.size(); }
    @Found("TraversalComodification")
    static void subListGet() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.add("x"); p.get(0); }
    @Found("TraversalComodification")
    static void subListIterator() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.remove(0); p.iterator(); }
    @Found("TraversalComodification")
    static void subListTraversed() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.clear(); for (String s : p) s.length(); }
    @Found("TraversalComodification")
    static void subListOfSubList() { List<String> l = letters(); List<String> p = l.subList(0, 3).subList(0, 2); l.add("x"); p.add("y"); }
    @Found("TraversalComodification")
    static void subListToArray() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.add("x"); p.toArray(); }
    @Found("TraversalComodification")
    static void subListHashCode() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.add("x"); p.hashCode(); }
    @Unseen("`hashCode` and `toString` are called on everything")
    static void subListToString() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.add("x"); p.toString(); }
    @Found("TraversalComodification")
    static void newListOfStaleSubList() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.add("x"); new ArrayList<>(p); }
    @Found("TraversalComodification")
    static void joinOfStaleSubList() { List<String> l = letters(); List<String> p = l.subList(1, 3); l.add("x"); String.join(",", p); }
    @Found("TraversalComodification")
    static void vectorForEach() { Vector<String> v = new Vector<>(letters()); v.forEach(v::addElement); }
    @Found("TraversalComodification")
    static void iterateOverHashtable() { Hashtable<String, Integer> t = new Hashtable<>(numbers()); t.forEach((k, v) -> t.put(k + k, v)); }

    @Found("IteratorExhausted")
    static void nextAfterEnd() { Iterator<String> i = letters().iterator(); while (i.hasNext()) i.next(); i.next(); }
    @Found("IteratorExhausted")
    static void nextOfEmpty() { Iterator<String> i = new ArrayList<String>().iterator(); if (!i.hasNext()) i.next(); }
    @Found("IteratorExhausted")
    static void nextOfEmptyUnasked() { new HashSet<String>().iterator().next(); }
    @Found("IteratorExhausted")
    static void nextTooOften() { Iterator<String> i = List.of("a").iterator(); i.next(); i.next(); }
    @Found("IteratorExhausted")
    static void previousAtStart() { letters().listIterator().previous(); }
    @Found("IteratorExhausted")
    static void nextIntAfterEnd() { PrimitiveIterator.OfInt i = IntStream.empty().iterator(); i.nextInt(); }
    @Found("IteratorExhausted")
    static void nextOfMapView() { new TreeMap<String, Integer>().keySet().iterator().next(); }
    @Found("IteratorExhausted")
    static void scannerWithoutToken() { Scanner in = new Scanner(""); in.next(); }
    @Found("ScannerExhausted")
    static void scannerWithoutLine() { new Scanner("").nextLine(); }
    @Found("IteratorExhausted")
    static void emptyIterator() { Collections.emptyIterator().next(); }
    @Found("EnumerationExhausted")
    static void vectorElements() { Enumeration<String> e = new Vector<String>().elements(); if (!e.hasMoreElements()) e.nextElement(); }
    @Found("EnumerationExhausted")
    static void hashtableKeys() { new Hashtable<String, Integer>().keys().nextElement(); }
    @Found("EnumerationExhausted")
    static void tokenizer() { StringTokenizer t = new StringTokenizer("a"); t.nextToken(); t.nextToken(); }
    @Found("EnumerationExhausted")
    static void tokenizerAsEnumeration() { StringTokenizer t = new StringTokenizer(""); t.nextElement(); }
    @Found("EnumerationExhausted")
    static void emptyEnumeration() { Collections.emptyEnumeration().nextElement(); }

    @Found("IteratorRemove")
    static void removeBeforeNext() { letters().iterator().remove(); }
    @Found("IteratorRemove")
    static void removeTwice() { Iterator<String> i = letters().iterator(); i.next(); i.remove(); i.remove(); }
    @Found("IteratorRemove")
    static void removeTwiceHashSet() { Iterator<String> i = new HashSet<>(letters()).iterator(); i.next(); i.remove(); i.remove(); }
    @Found("IteratorRemove")
    static void removeTwiceTreeMap() { Iterator<String> i = numbers(new TreeMap<>()).keySet().iterator(); i.next(); i.remove(); i.remove(); }
    @Found("IteratorRemove")
    static void setBeforeNext() { letters().listIterator().set("x"); }
    @Found("IteratorRemove")
    static void setAfterAdd() { ListIterator<String> i = letters().listIterator(); i.next(); i.add("x"); i.set("y"); }
    @Found("IteratorRemove")
    static void setAfterRemove() { ListIterator<String> i = letters().listIterator(); i.next(); i.remove(); i.set("y"); }
    @Found("IteratorRemove")
    static void removeAfterAdd() { ListIterator<String> i = new LinkedList<>(letters()).listIterator(); i.next(); i.add("x"); i.remove(); }
    @Found("IteratorRemove")
    static void removeBeforeNextOfDeque() { new ArrayDeque<>(letters()).iterator().remove(); }
    @Found("IteratorRemove")
    static void descendingRemoveTwice() { Iterator<String> i = new ArrayDeque<>(letters()).descendingIterator(); i.next(); i.remove(); i.remove(); }

    @Found("ImmutableCollection")
    static void listOfAdd() { List.of("a").add("b"); }
    @Found("ImmutableCollection")
    static void listOfSet() { List.of("a").set(0, "b"); }
    @Found("ImmutableCollection")
    static void listOfSort() { List.of("a", "b").sort(null); }
    @Found("ImmutableCollection")
    static void listCopyOfRemove() { List.copyOf(letters()).remove("a"); }
    @Found("ImmutableCollection")
    static void setOfAdd() { Set.of("a").add("b"); }
    @Found("ImmutableCollection")
    static void mapOfPut() { Map.of("a", 1).put("b", 2); }
    @Found("ImmutableCollection")
    static void mapOfMerge() { Map.of("a", 1).merge("a", 2, Integer::sum); }
    @Found("ImmutableCollection")
    static void mapOfEntriesClear() { Map.ofEntries(Map.entry("a", 1)).clear(); }
    @Found("ImmutableCollection")
    static void mapOfKeySetRemove() { Map.of("a", 1).keySet().remove("a"); }
    @Found("ImmutableCollection")
    static void entrySetValue() { Map.entry("a", 1).setValue(2); }
    @Found("ImmutableCollection")
    static void unmodifiableListAdd() { Collections.unmodifiableList(letters()).add("x"); }
    @Found("ImmutableCollection")
    static void unmodifiableMapPut() { Collections.unmodifiableMap(numbers()).put("x", 1); }
    @Found("ImmutableCollection")
    static void unmodifiableMapEntry() { Collections.unmodifiableMap(numbers()).entrySet().iterator().next().setValue(1); }
    @Found("ImmutableCollection")
    static void unmodifiableIteratorRemove() { Iterator<String> i = Collections.unmodifiableList(letters()).iterator(); i.next(); i.remove(); }
    @Found("ImmutableCollection")
    static void emptyListAdd() { Collections.emptyList().add(null); }
    @Found("ImmutableCollection")
    static void singletonAdd() { Collections.singleton("a").add("b"); }
    @Found("ImmutableCollection")
    static void nCopiesAdd() { Collections.nCopies(2, "a").add("b"); }
    @Found("ImmutableCollection")
    static void streamToListAdd() { Stream.of("a").toList().add("b"); }
    @Found("ImmutableCollection")
    static void collectorsUnmodifiable() { Stream.of("a").collect(Collectors.toUnmodifiableList()).add("b"); }
    @Found("ImmutableCollection")
    static void asListAdd() { Arrays.asList("a", "b").add("c"); }
    @Found("ImmutableCollection")
    static void asListRemove() { Arrays.asList("a", "b").remove("a"); }
    @Found("ImmutableCollection")
    static void asListClear() { Arrays.asList("a", "b").clear(); }
    @Found("ImmutableCollection")
    static void asListIteratorRemove() { Iterator<String> i = Arrays.asList("a", "b").iterator(); i.next(); i.remove(); }
    @Found("ImmutableCollection")
    static void keySetAdd() { numbers().keySet().add("x"); }
    @Found("ImmutableCollection")
    static void valuesAdd() { numbers().values().add(1); }
    @Found("ImmutableCollection")
    static void subListOfImmutable() { List.of("a", "b").subList(0, 1).clear(); }
    @Found("ImmutableCollection")
    static void collectionsSortImmutable() { Collections.sort(List.of("b", "a")); }
    @Found("ImmutableCollection")
    static void collectionsAddAllImmutable() { Collections.addAll(Set.of("b", "a"), "c"); }
    @Found("ImmutableCollection")
    static void removeIfImmutable() { List.of("b", "a").removeIf(s -> true); }

    @Found("OptionalGet")
    static void optionalGet() { Optional<String> o = Optional.empty(); if (!o.isPresent()) o.get(); }
    @Found("OptionalGet")
    static void optionalGetIsEmpty() { Optional<String> o = Optional.empty(); if (o.isEmpty()) o.get(); }
    @Found("OptionalGet")
    static void optionalUnasked() { Optional.empty().get(); }
    @Found("OptionalGet")
    static void optionalOrElseThrow() { Stream.of().findFirst().orElseThrow(); }
    @Found("OptionalGet")
    static void optionalInt() { OptionalInt.empty().getAsInt(); }
    @Found("OptionalGet")
    static void optionalLong() { LongStream.empty().max().getAsLong(); }
    @Found("OptionalGet")
    static void optionalDouble() { IntStream.empty().average().getAsDouble(); }

    @Found("StreamReused")
    static void streamTwice() { Stream<String> s = letters().stream(); s.count(); s.count(); }
    @Found("StreamReused")
    static void streamMapTwice() { Stream<String> s = letters().stream(); s.map(x -> x); s.filter(x -> true); }
    @Found("StreamReused")
    static void streamSkipTwice() { Stream<String> s = letters().stream(); s.skip(1); s.limit(1); }
    @Found("StreamReused")
    static void intStreamTwice() { IntStream s = IntStream.range(0, 3); s.sum(); s.max(); }
    @Found("StreamReused")
    static void streamIteratorAndCount() { Stream<String> s = letters().stream(); s.iterator(); s.count(); }
    @Found("StreamReused")
    static void streamSortedAfterUse() { Stream<String> s = letters().stream(); s.forEach(x -> { }); s.sorted(); }
    @Found("StreamReused")
    static void streamClosedThenUsed() { Stream<String> s = letters().stream(); s.close(); s.count(); }
    @Found("StreamReused")
    static void streamConcatUsed() { Stream<String> s = letters().stream(); Stream.concat(s, Stream.of("x")); s.count(); }
    @Found("StreamReused")
    static void streamOnCloseAfterUse() { Stream<String> s = letters().stream(); s.count(); s.onClose(() -> { }); }
    @Found("StreamReused")
    static void streamFlatMappedAfterUse() { Stream<String> s = letters().stream(); s.count(); s.flatMap(Stream::of); }
}
