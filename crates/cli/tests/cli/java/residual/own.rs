//! Programs with collections, maps and iterators of their own: the JDK runs their methods, which change
//! what is being iterated over, or two names stand for one object of the JDK.

/// How many programs there are.
pub fn count() -> usize {
    PROGRAMS.len()
}

/// What a program is about.
pub fn title(number: usize) -> String {
    format!("O{number}: {}", PROGRAMS[number].0)
}

/// The program of a number: a class `O` with that number.
pub fn program(number: usize) -> String {
    let (_, members, body) = PROGRAMS[number];
    let text = format!(
        "class $O {{\n  {members}\n  static void start() throws Throwable {{\n    {body}\n  }}\n}}\n"
    );
    text.replace("$O", &format!("O{number}"))
}

/// Name, members of the class, and the statements that violate a property.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "a list that changes itself when an element is read",
        "static class C extends AbstractList { final List in = new ArrayList(List.of(1, 2)); public int size() { return in.size(); } public Object get(int n) { if (n == 0) add(3); return in.get(n); } public boolean add(Object o) { modCount++; return in.add(o); } }",
        "C c = new C(); Iterator i = c.iterator(); i.hasNext(); try { i.next(); } catch (ConcurrentModificationException e) { } i.hasNext(); i.next();",
    ),
    (
        "a list that changes itself when a wrapper reads an element",
        "static class C extends ArrayList { public Object get(int n) { if (n == 1) add(3); return super.get(n); } }",
        "C c = new C(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); Collections.unmodifiableList(c).get(1); i.next();",
    ),
    (
        "a list that changes itself when a part is cleared",
        "static class C extends ArrayList { protected void removeRange(int a, int b) { add(3); super.removeRange(a, b); } }",
        "C c = new C(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); c.subList(0, 1).clear(); i.next();",
    ),
    (
        "a list that changes itself when it is printed",
        "static class C extends ArrayList { public Iterator iterator() { if (size() == 2) add(3); return super.iterator(); } }",
        "C c = new C(); c.add(1); Iterator i = c.iterator(); c.add(2); i.hasNext(); String s = \"\" + c; i.next();",
    ),
    (
        "a list that changes itself when it is copied",
        "static class C extends ArrayList { public Object[] toArray() { add(3); return super.toArray(); } }",
        "C c = new C(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); new ArrayDeque(List.of()).addAll(c); new ArrayList(c); i.next();",
    ),
    (
        "a list that changes itself when it is hashed",
        "static class C extends ArrayList { public int hashCode() { add(3); return 1; } }",
        "C c = new C(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); List.of(c).hashCode(); i.next();",
    ),
    (
        "a list that its elements change when it is printed",
        "static class K { List in; public String toString() { if (in != null) in.add(3); return \"\"; } }",
        "K k = new K(); List c = new LinkedList(); c.add(k); c.add(2); Iterator i = c.iterator(); i.hasNext(); k.in = c; try { c.toString(); } catch (ConcurrentModificationException e) { } i.next();",
    ),
    (
        "a list that its comparator changes",
        "static class K implements Comparator { List in; public int compare(Object p, Object q) { if (in != null) in.add(3); return 0; } }",
        "K k = new K(); List c = new LinkedList(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); k.in = c; try { c.sort(k); } catch (RuntimeException e) { } i.next();",
    ),
    (
        "a list that is an element of itself",
        "static class C extends ArrayList { public boolean equals(Object o) { ((List) o).add(3); return false; } public int hashCode() { return 1; } }",
        "List c = new ArrayList(); c.add(c); c.add(c); C k = new C(); Iterator i = c.iterator(); i.hasNext(); c.contains(k); i.next();",
    ),
    (
        "a constant that is an iterator, by its name",
        "enum N implements Iterator { ONE; public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "N.ONE.hasNext(); N.ONE.next(); Iterator i = (Iterator) Enum.valueOf(N.class, \"ONE\"); i.next();",
    ),
    (
        "a constant that is an iterator, in a set",
        "enum N implements Iterator { ONE; public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "N.ONE.hasNext(); N.ONE.next(); for (Object o : EnumSet.allOf(N.class)) ((Iterator) o).next();",
    ),
    (
        "views of a map that wraps a map",
        "static Map pick(int n, Map m) { return n == 0 ? m : new javax.script.SimpleBindings(m); }",
        "Map m = new HashMap(); m.put(\"a\", 1); m.put(\"b\", 2); m.keySet(); Map w = pick(1, m); Iterator i = w.keySet().iterator(); i.hasNext(); m.put(\"c\", 3); i.next();",
    ),
    (
        "views of a map that wraps a map, made directly",
        "",
        "Map m = new HashMap(); m.put(\"a\", 1); m.put(\"b\", 2); m.keySet(); Map w = new javax.script.SimpleBindings(m); Iterator i = w.keySet().iterator(); i.hasNext(); m.put(\"c\", 3); i.next();",
    ),
    (
        "views of a checked map",
        "",
        "Map m = new HashMap(); m.put(\"a\", 1); m.put(\"b\", 2); m.values(); Map w = Collections.checkedMap(m, Object.class, Object.class); Iterator i = w.values().iterator(); i.hasNext(); m.put(\"c\", 3); i.next();",
    ),
    (
        "the keys of a sorted map under two names",
        "",
        "NavigableMap m = new TreeMap(); m.put(\"a\", 1); m.put(\"b\", 2); m.keySet(); Iterator i = m.navigableKeySet().iterator(); i.hasNext(); m.put(\"c\", 3); i.next();",
    ),
    (
        "a clone that shares its list",
        "static class K implements Cloneable { private List in = new ArrayList(); K twin() throws CloneNotSupportedException { return (K) clone(); } Iterator all() { return in.iterator(); } void more() { in.add(1); } }",
        "K k = new K(); k.more(); k.more(); Iterator i = k.all(); i.hasNext(); k.twin().more(); i.next();",
    ),
    (
        "a list that a supplier makes",
        "",
        "Supplier<List> k = ArrayList::new; List c = k.get(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); c.add(3); i.next();",
    ),
    (
        "an iterator that is its own iterable",
        "static class K implements Iterator, Iterable { int n; public boolean hasNext() { return true; } public Object next() { return 1; } public Iterator iterator() { return this; } }",
        "K k = new K(); for (Object o : k) if (k.n++ == 2) break; Iterable j = k; j.iterator().next();",
    ),
    (
        "an iterator of the program behind a wrapper",
        "static class C extends AbstractList { final Iterator one = List.of(1, 2, 3).iterator(); public int size() { return 3; } public Object get(int n) { return 1; } public Iterator iterator() { return one; } }",
        "List s = Collections.synchronizedList(new C()); Iterator i = s.iterator(); i.hasNext(); i.next(); s.iterator().next();",
    ),
    (
        "an iterator that a queue of a deque returns",
        "static class D extends ArrayDeque { Iterator one = List.of(1, 2, 3).iterator(); public Iterator iterator() { return one; } }",
        "Queue s = Collections.asLifoQueue(new D()); Iterator i = s.iterator(); i.hasNext(); i.next(); s.iterator().next();",
    ),
    (
        "an iterator in a loop that keeps the older one",
        "",
        "List c = new ArrayList(); c.add(1); c.add(2); Iterator old = null; for (int n = 0; n < 3; n++) { Iterator i = c.iterator(); i.hasNext(); if (old != null) { c.add(3); old.next(); } old = i; }",
    ),
    (
        "a list behind an exception",
        "static class X extends RuntimeException { final List in; X(List c) { in = c; } }",
        "List c = new ArrayList(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); try { throw new X(c); } catch (RuntimeException e) { ((X) e).in.add(3); } i.next();",
    ),
    (
        "a list in a closed resource",
        "record R(List in) implements AutoCloseable { public void close() { in.add(3); } }",
        "List c = new ArrayList(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); try (R r = new R(c)) { } i.next();",
    ),
    (
        "a list in the receiver of an array's clone",
        "",
        "List c = new ArrayList(); c.add(1); c.add(2); List[] a = { c }; Iterator i = c.iterator(); i.hasNext(); a.clone()[0].add(3); i.next();",
    ),
    (
        "a list that another thread changes",
        "static List in; static class T extends Thread { public void run() { in.add(3); } }",
        "List c = new ArrayList(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); in = c; T t = new T(); t.start(); t.join(); i.next();",
    ),
    (
        "a list that a local class captures",
        "",
        "List c = new ArrayList(); c.add(1); c.add(2); class In { void go() { c.add(3); } } Iterator i = c.iterator(); i.hasNext(); new In().go(); i.next();",
    ),
    (
        "a list that a switch chooses",
        "static List pick(String s, List p, List q) { switch (s) { case \"p\": return p; default: return q; } }",
        "List c = new ArrayList(); c.add(1); c.add(2); Iterator i = c.iterator(); i.hasNext(); pick(\"q\", new ArrayList(), c).add(3); i.next();",
    ),
    (
        "a set that a wrapper is compared for",
        "static Object kept; static class C extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return Collections.emptyIterator(); } public boolean containsAll(Collection c) { kept = c; return true; } }",
        "Set s = new ConcurrentSkipListSet(); s.add(1); s.add(2); Set w = Collections.unmodifiableSet(s); w.equals(new C()); Iterator i = s.iterator(); i.hasNext(); ((Set) kept).add(3); i.next();",
    ),
    (
        "a set that a lock is compared for",
        "static Object kept; static class C extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return Collections.emptyIterator(); } public boolean containsAll(Collection c) { kept = c; return true; } }",
        "Set s = new ConcurrentSkipListSet(); s.add(1); s.add(2); Set w = Collections.synchronizedSet(s); w.equals(new C()); Iterator i = s.iterator(); i.hasNext(); ((Set) kept).add(3); i.next();",
    ),
    (
        "a set that is compared with one of the program",
        "static Object kept; static class C extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return Collections.emptyIterator(); } public boolean containsAll(Collection c) { kept = c; return true; } }",
        "Set s = new ConcurrentSkipListSet(); s.add(1); s.add(2); Set w = s; w.equals(new C()); Iterator i = s.iterator(); i.hasNext(); ((Set) kept).add(3); i.next();",
    ),
    (
        "keys of a map that a wrapper compares",
        "static Object kept; static class C extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return Collections.emptyIterator(); } public boolean containsAll(Collection c) { kept = c; return true; } }",
        "Map m = new ConcurrentHashMap(); m.put(1, 1); m.put(2, 2); Set v = m.keySet(); Collections.unmodifiableMap(m).keySet().equals(new C()); Iterator i = ((Set) kept).iterator(); i.hasNext(); m.put(3, 3); i.next();",
    ),
    (
        "keys of a map that a wrapper of keys compares",
        "static Object kept; static class C extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return Collections.emptyIterator(); } public boolean containsAll(Collection c) { kept = c; return true; } }",
        "Map m = new ConcurrentHashMap(); m.put(1, 1); m.put(2, 2); Set v = m.keySet(); Collections.unmodifiableSet(m.keySet()).equals(new C()); Iterator i = ((Set) kept).iterator(); i.hasNext(); m.put(3, 3); i.next();",
    ),
    (
        "keys of a map that are compared",
        "static Object kept; static class C extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return Collections.emptyIterator(); } public boolean containsAll(Collection c) { kept = c; return true; } }",
        "Map m = new ConcurrentHashMap(); m.put(1, 1); m.put(2, 2); Set v = m.keySet(); ((Object) m.keySet()).equals(new C()); Iterator i = ((Set) kept).iterator(); i.hasNext(); m.put(3, 3); i.next();",
    ),
    (
        "an exception whose trace is filled while it is made",
        "static Iterator kept; static class X extends RuntimeException implements Iterator { public Throwable fillInStackTrace() { kept = this; return this; } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "X x = new X(); x.hasNext(); kept.next(); x.next();",
    ),
    (
        "an object that reflection makes, as its constructor knows it",
        "public static class P implements Iterator { public P() { hasNext(); next(); } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "Iterator i = (Iterator) P.class.getDeclaredConstructor().newInstance(); i.next();",
    ),
    (
        "an object that is read, as it restores itself",
        "static class K implements Serializable, Iterator { private void readObject(ObjectInputStream in) { hasNext(); next(); } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "var to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(new K()); ((Iterator) new ObjectInputStream(new ByteArrayInputStream(to.toByteArray())).readObject()).next();",
    ),
    (
        "a comparator of a copy",
        "static class K implements Comparator, Iterator { public int compare(Object a, Object b) { return 0; } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "K k = new K(); k.hasNext(); k.next(); SortedSet t = new TreeSet(k); SortedSet u = new TreeSet(t); ((Iterator) u.comparator()).next();",
    ),
    (
        "keys of a map that checks another",
        "static class S extends AbstractSet { Iterator one = List.of(1, 2, 3).iterator(); public Iterator iterator() { return one; } public int size() { return 1; } } static class M extends AbstractMap { S s = new S(); public Set keySet() { return s; } public Set entrySet() { return Set.of(); } }",
        "M m = new M(); Map w = Collections.checkedMap(m, Object.class, Object.class); Iterator one = m.s.one; one.hasNext(); Iterator i = w.keySet().iterator(); i.hasNext(); i.next(); one.next();",
    ),
];
