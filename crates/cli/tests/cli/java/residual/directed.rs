//! Directed programs: an object goes into the JDK in one way and comes back to the program in another.
//!
//! Every program combines a *mechanism* (how the JDK hands an object on), a *holder* (what the object
//! is in meanwhile) and a *reader* (what the program does with it in the end). The program is violated
//! only by what its reader does, so an analysis that overlooks the mechanism loses the report.

/// A collection with the holder in it.
macro_rules! boxed {
    ($class:literal, $rest:literal) => {
        concat!("var b = new ", $class, "(); b.add(h); ", $rest)
    };
}

mod called;
mod found;
mod handled;
pub mod newer;

/// What a file of programs begins with.
pub const IMPORTS: &str = "import java.io.*;\nimport java.lang.invoke.*;\nimport java.lang.ref.*;\n\
    import java.lang.reflect.*;\nimport java.util.*;\nimport java.util.concurrent.*;\n\
    import java.util.concurrent.atomic.*;\nimport java.util.function.*;\nimport java.util.stream.*;\n";

/// What an object is in: its name, members of the class, how it is put into a holder, and how it is
/// taken out of one. `$s` is the object, `x` the holder.
struct Holder {
    name: &'static str,
    members: &'static str,
    put: &'static str,
    take: &'static str,
}

const HOLDERS: [Holder; 10] = [
    Holder { name: "itself", members: "", put: "h = $s;", take: "x" },
    Holder {
        name: "array",
        members: "",
        put: "h = new Object[] { $s };",
        take: "((Object[]) x)[0]",
    },
    Holder {
        name: "list",
        members: "",
        put: "List in = new ArrayList(); in.add($s); h = in;",
        take: "((List) x).get(0)",
    },
    Holder {
        name: "value of a map",
        members: "",
        put: "Map in = new HashMap(); in.put(\"k\", $s); h = in;",
        take: "((Map) x).get(\"k\")",
    },
    Holder {
        name: "field",
        members: "static class Box { private final Object held; Box(Object o) { held = o; } }",
        put: "h = new Box($s);",
        take: "((Box) x).held",
    },
    Holder {
        name: "component of a record",
        members: "record Rec(Object held) {}",
        put: "h = new Rec($s);",
        take: "((Rec) x).held()",
    },
    Holder {
        name: "capture",
        members: "static Supplier in(Object o) { return () -> o; }",
        put: "h = in($s);",
        take: "((Supplier) x).get()",
    },
    Holder {
        name: "iterator",
        members: "",
        put: "Deque in = new ArrayDeque(); in.add($s); h = in.iterator();",
        take: "((Iterator) x).next()",
    },
    Holder {
        name: "entry",
        members: "",
        put: "Map in = new TreeMap(); in.put(\"k\", $s); h = in.entrySet().iterator().next();",
        take: "((Map.Entry) x).getValue()",
    },
    Holder {
        name: "wrapper",
        members: "",
        put: "List of = new LinkedList(); of.add($s); h = Collections.unmodifiableList(of);",
        take: "((List) x).get(0)",
    },
];

/// What becomes of the object: what it is, what the reader does with it, and what is done in the end,
/// which is wrong after what the reader did.
struct Reader {
    name: &'static str,
    object: &'static str,
    /// Another object of the kind, which the reader gets without the JDK: without it, the analysis
    /// would find that the reader gets nothing, and expect anything.
    other: &'static str,
    read: &'static str,
}

const READERS: [Reader; 2] = [
    Reader { name: "changes the list", object: "l", other: "l2", read: "((List) y).add(\"new\");" },
    Reader { name: "uses the iterator", object: "i", other: "i2", read: "((Iterator) y).next();" },
];

/// Name, members of the class, and statements that make the JDK hand `h` to `seen`.
type Mechanism = (&'static str, &'static str, &'static str);

/// Lists of mechanisms, whose programs are numbered through.
struct Mechanisms(&'static [&'static [Mechanism]]);

const ALL: Mechanisms =
    Mechanisms(&[MECHANISMS, found::MECHANISMS, called::MECHANISMS, handled::MECHANISMS]);

/// How many programs there are.
pub fn count() -> usize {
    ALL.count()
}

/// What a program is about.
pub fn title(number: usize) -> String {
    ALL.title(number)
}

/// The program of a number: a class `D` with that number.
pub fn program(number: usize) -> String {
    ALL.program(number)
}

impl Mechanisms {
    fn len(&self) -> usize {
        self.0.iter().map(|list| list.len()).sum()
    }

    fn count(&self) -> usize {
        self.len() * HOLDERS.len() * READERS.len()
    }

    fn title(&self, number: usize) -> String {
        let (mechanism, holder, reader) = self.parts(number);
        format!("D{number}: {} of {}, which {}", mechanism.0, holder.name, reader.name)
    }

    fn parts(&self, number: usize) -> (&'static Mechanism, &'static Holder, &'static Reader) {
        let (rest, mechanism) = (number / self.len(), number % self.len());
        let (reader, holder) = (rest / HOLDERS.len(), rest % HOLDERS.len());
        let mechanism = self.0.iter().copied().flatten().nth(mechanism);
        (mechanism.expect("there are so many"), &HOLDERS[holder], &READERS[reader])
    }

    fn program(&self, number: usize) -> String {
        program_of(number, self.parts(number))
    }
}

fn program_of(
    number: usize,
    ((_, members, body), holder, reader): (&Mechanism, &Holder, &Reader),
) -> String {
    let asks = match body.contains("new E()") || members.contains("new E()") {
        true => {
            "static class E { public boolean equals(Object o) { seen(o); return false; }\n    \
            public int hashCode() { return 1; } }\n  "
        }
        false => "",
    };
    let text = format!(
        "class D{number} {{\n  {asks}{}\n  {members}\n  \
         static void seen(Object x) {{ Object y = {}; {} }}\n  \
         static void start() throws Throwable {{\n    \
         List l = new ArrayList(); l.add(\"a\"); l.add(\"b\"); l.add(\"c\");\n    \
         Iterator i = l.iterator();\n    i.hasNext();\n    \
         List l2 = new ArrayList(); l2.add(\"d\"); l2.add(\"e\");\n    \
         Iterator i2 = l2.iterator();\n    i2.hasNext();\n    \
         final Object h, other; {{ {} }} {{ {} }} seen(other);\n    \
         try {{ {body} }} finally {{ i.next(); }}\n  }}\n}}\n",
        holder.members,
        holder.take,
        reader.read,
        holder.put.replace("$s", reader.object),
        holder.put.replace("$s", reader.other).replace("h =", "other ="),
    );
    text.replace("$D", &format!("D{number}"))
}

/// The class that runs programs of some numbers, whose classes have this letter.
pub fn main(letter: char, numbers: &[usize]) -> String {
    let mut text = "public class Main {\n".to_owned();
    for (part, some) in numbers.chunks(100).enumerate() {
        text += &format!("  static void some{part}() {{\n");
        for number in some {
            text += &format!("    try {{ {letter}{number}.start(); }} catch (Throwable t) {{ }}\n");
        }
        text += "  }\n";
    }
    text += "  public static void main(String[] a) {\n";
    for part in 0..numbers.len().div_ceil(100) {
        text += &format!("    some{part}();\n");
    }
    text + "  }\n}\n"
}

/// Members with a stream that shows whatever it is asked to replace, and what does not fit is left.
macro_rules! replacing {
    ($rest:literal) => {
        concat!(
            "static class O extends ObjectOutputStream { O() throws IOException { \
             super(new ByteArrayOutputStream()); enableReplaceObject(true); } ",
            replaced!(),
            " } ",
            $rest
        )
    };
}

macro_rules! replaced {
    () => {
        "protected Object replaceObject(Object o) { try { seen(o); } catch (RuntimeException e) { } \
         return o instanceof Serializable ? o : null; }"
    };
}

const MECHANISMS: &[Mechanism] = &[
    // Arrays that the JDK fills.
    (
        "toArray(T[])",
        "",
        boxed!("ArrayList", "Object[] a = new Object[1]; b.toArray(a); seen(a[0]);"),
    ),
    (
        "result of toArray(T[])",
        "",
        "Object[] a = new Object[3]; a[2] = h; List b = new ArrayList(); b.add(\"q\"); seen(b.toArray(a)[2]);",
    ),
    ("toArray(IntFunction)", "", boxed!("ArrayList", "seen(b.toArray(n -> new Object[1])[0]);")),
    ("toArray()", "", boxed!("LinkedList", "seen(b.toArray()[0]);")),
    (
        "values().toArray(T[])",
        "",
        "Map m = new HashMap(); m.put(1, h); Object[] a = new Object[1]; m.values().toArray(a); seen(a[0]);",
    ),
    (
        "entrySet().toArray(T[])",
        "",
        "Map m = new HashMap(); m.put(1, h); Map.Entry[] a = new Map.Entry[1]; m.entrySet().toArray(a); seen(a[0].getValue());",
    ),
    (
        "keySet().toArray(T[])",
        "",
        "Map m = new IdentityHashMap(); m.put(h, 1); Object[] a = new Object[1]; m.keySet().toArray(a); seen(a[0]);",
    ),
    ("copyInto", "", boxed!("Vector", "Object[] a = new Object[1]; b.copyInto(a); seen(a[0]);")),
    (
        "toArray(T[]) of a wrapper",
        "",
        boxed!(
            "ArrayList",
            "Object[] a = new Object[1]; Collections.unmodifiableList(b).toArray(a); seen(a[0]);"
        ),
    ),
    (
        "toArray(T[]) of a collection of the program",
        "static class C extends AbstractCollection { Object o; public int size() { return 1; } public Iterator iterator() { return Collections.singleton(o).iterator(); } }",
        "C c = new C(); c.o = h; Object[] a = new Object[1]; c.toArray(a); seen(a[0]);",
    ),
    (
        "drainTo",
        "",
        boxed!("LinkedBlockingQueue", "List to = new ArrayList(); b.drainTo(to); seen(to.get(0));"),
    ),
    (
        "System.arraycopy",
        "",
        "Object[] a = { h }, b = new Object[1]; System.arraycopy(a, 0, b, 0, 1); seen(b[0]);",
    ),
    ("Arrays.copyOf", "", "Object[] a = { h }; seen(Arrays.copyOf(a, 2)[0]);"),
    ("Arrays.fill", "", "Object[] a = new Object[2]; Arrays.fill(a, h); seen(a[1]);"),
    ("Arrays.setAll", "", "Object[] a = new Object[2]; Arrays.setAll(a, k -> h); seen(a[1]);"),
    (
        "Arrays.asList set",
        "",
        "Object[] a = new Object[1]; Arrays.asList(a).set(0, h); seen(a[0]);",
    ),
    (
        "Arrays.asList get",
        "",
        "Object[] a = new Object[1]; List v = Arrays.asList(a); a[0] = h; seen(v.get(0));",
    ),
    ("Arrays.sort", "", "Object[] a = { h, h }; Arrays.sort(a, (p, q) -> { seen(p); return 0; });"),
    ("Arrays.equals", "", "Object[] a = { new E() }, b = { h }; Arrays.equals(a, b);"),
    (
        "Arrays.deepEquals",
        "",
        "Object[] a = { new E() }, b = { h }; Arrays.deepEquals(new Object[] { a }, new Object[] { b });",
    ),
    ("Arrays.stream", "", "Object[] a = { h }; Arrays.stream(a).forEach($D::seen);"),
    ("clone of an array", "", "Object[] a = { h }; seen(a.clone()[0]);"),
    ("Array.get", "", "Object[] a = { h }; seen(Array.get(a, 0));"),
    ("Array.set", "", "Object[] a = new Object[1]; Array.set(a, 0, h); seen(a[0]);"),
    ("Stream.toArray", "", "seen(Stream.of(h).toArray(Object[]::new)[0]);"),
    (
        "AtomicReferenceArray",
        "",
        "var a = new AtomicReferenceArray(1); a.set(0, h); seen(a.get(0));",
    ),
    // Records.
    ("equals of a record", "record Pair(Object one) {}", "new Pair(new E()).equals(new Pair(h));"),
    (
        "hashCode of a record",
        "static class K { Object o; public int hashCode() { seen(o); return 1; } } record Pair(K one) {}",
        "K k = new K(); k.o = h; new Pair(k).hashCode();",
    ),
    (
        "toString of a record",
        "static class K { Object o; public String toString() { seen(o); return \"\"; } } record Pair(K one) {}",
        "K k = new K(); k.o = h; String.valueOf(new Pair(k));",
    ),
    (
        "equals of a record in a record",
        "record Pair(Object one) {}",
        "new Pair(new Pair(new E())).equals(new Pair(new Pair(h)));",
    ),
    (
        "equals of a list in a record",
        "record Pair(List one) {}",
        "new Pair(List.of(new E())).equals(new Pair(Collections.singletonList(h)));",
    ),
    (
        "equals of records in lists",
        "record Pair(Object one) {}",
        "List.of(new Pair(new E())).equals(List.of(new Pair(h)));",
    ),
    (
        "components by reflection",
        "record Pair(Object one) {}",
        "Pair p = new Pair(h); seen(Pair.class.getRecordComponents()[0].getAccessor().invoke(p));",
    ),
    // equals, reached through something else.
    (
        "equals of unmodifiableList",
        "static class A extends AbstractList { public int size() { return 0; } public Object get(int n) { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "Collections.unmodifiableList(new A()).equals(h);",
    ),
    (
        "equals of unmodifiableSet",
        "static class A extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "Collections.unmodifiableSet(new A()).equals(h);",
    ),
    (
        "equals of unmodifiableMap",
        "static class A extends AbstractMap { public Set entrySet() { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "Collections.unmodifiableMap(new A()).equals(h);",
    ),
    (
        "equals of synchronizedList",
        "static class A extends AbstractList { public int size() { return 0; } public Object get(int n) { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "List s = Collections.synchronizedList(new A()); s.equals(h);",
    ),
    (
        "equals of synchronizedSet",
        "static class A extends AbstractSet { public int size() { return 0; } public Iterator iterator() { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "Collections.synchronizedSet(new A()).equals(h);",
    ),
    (
        "equals of synchronizedMap",
        "static class A extends AbstractMap { public Set entrySet() { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "Collections.synchronizedMap(new A()).equals(h);",
    ),
    (
        "equals of checkedList",
        "static class A extends AbstractList { public int size() { return 0; } public Object get(int n) { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "Collections.checkedList(new A(), Object.class).equals(h);",
    ),
    (
        "equals of checkedMap",
        "static class A extends AbstractMap { public Set entrySet() { return null; } public boolean equals(Object o) { seen(o); return false; } }",
        "Collections.checkedMap(new A(), Object.class, Object.class).equals(h);",
    ),
    (
        "equals of newSetFromMap",
        "static class A extends AbstractMap { public Set entrySet() { return new HashSet(); } public Set keySet() { return new HashSet() { public boolean equals(Object o) { seen(o); return false; } }; } }",
        "Collections.newSetFromMap(new A()).equals(h);",
    ),
    (
        "equals of a part of a list",
        "",
        boxed!("ArrayList", "List.of(new E()).equals(b.subList(0, 1));"),
    ),
    ("equals of lists", "", boxed!("ArrayList", "List.of(new E()).equals(b);")),
    (
        "equals of lists made with new",
        "",
        boxed!("ArrayList", "List w = new ArrayList(); w.add(new E()); w.equals(b);"),
    ),
    (
        "equals of linked lists",
        "",
        boxed!("LinkedList", "List w = new LinkedList(); w.add(new E()); w.equals(b);"),
    ),
    (
        "equals of vectors",
        "",
        boxed!("Vector", "List w = new Vector(); w.add(new E()); w.equals(b);"),
    ),
    (
        "equals of maps",
        "",
        "Map one = new HashMap(), two = new TreeMap(); one.put(\"k\", new E()); two.put(\"k\", h); one.equals(two);",
    ),
    (
        "equals of maps by identity",
        "",
        "Map one = new IdentityHashMap(), two = new HashMap(); one.put(\"k\", h); two.put(\"k\", new E()); two.equals(one);",
    ),
    (
        "equals of values",
        "",
        "Map one = new HashMap(); one.put(\"k\", h); List.of(new E()).equals(new ArrayList(one.values()));",
    ),
    (
        "equals of entries",
        "",
        "new AbstractMap.SimpleEntry(new E(), 1).equals(new AbstractMap.SimpleEntry(h, 1));",
    ),
    ("equals of immutable entries", "", "Map.entry(1, new E()).equals(Map.entry(1, h));"),
    (
        "equals of entries of maps",
        "",
        "Map one = new HashMap(), two = new TreeMap(); one.put(\"k\", new E()); two.put(\"k\", h); one.entrySet().iterator().next().equals(two.entrySet().iterator().next());",
    ),
    (
        "equals of entry sets",
        "",
        "Map one = new HashMap(), two = new HashMap(); one.put(\"k\", h); two.put(\"k\", new E()); one.entrySet().equals(two.entrySet()); two.entrySet().equals(one.entrySet());",
    ),
    ("equals of Optional", "", "Optional.of(new E()).equals(Optional.of(h));"),
    ("Objects.equals", "", "Objects.equals(new E(), h);"),
    ("Objects.deepEquals", "", "Objects.deepEquals(new Object[] { new E() }, new Object[] { h });"),
    ("equals by a method reference", "", "Predicate p = new E()::equals; p.test(h);"),
    ("equals by Predicate.isEqual", "", "Predicate.isEqual(new E()).test(h);"),
    ("contains", "", boxed!("ArrayList", "b.contains(new E());")),
    ("contains of a deque", "", boxed!("ArrayDeque", "b.contains(new E());")),
    (
        "contains of a wrapper",
        "",
        boxed!("ArrayList", "Collections.synchronizedList(b).contains(new E());"),
    ),
    ("containsAll", "", boxed!("ArrayList", "b.containsAll(List.of(new E()));")),
    ("indexOf", "", boxed!("Vector", "b.indexOf(new E());")),
    ("lastIndexOf", "", boxed!("CopyOnWriteArrayList", "b.lastIndexOf(new E());")),
    ("search", "", boxed!("Stack", "b.search(new E());")),
    ("remove", "", boxed!("LinkedList", "b.remove(new E());")),
    (
        "removeFirstOccurrence",
        "",
        boxed!("LinkedBlockingDeque", "b.removeFirstOccurrence(new E());"),
    ),
    (
        "removeAll",
        "",
        boxed!("ArrayList", "List w = new ArrayList(); w.add(new E()); w.removeAll(b);"),
    ),
    (
        "retainAll",
        "",
        boxed!(
            "ConcurrentLinkedQueue",
            "List w = new ArrayList(); w.add(new E()); w.retainAll(b);"
        ),
    ),
    ("containsValue", "", "Map m = new HashMap(); m.put(1, h); m.containsValue(new E());"),
    (
        "remove of a key and a value",
        "",
        "Map m = new ConcurrentHashMap(); m.put(1, h); m.remove(1, new E());",
    ),
    (
        "replace of a key and a value",
        "",
        "Map m = new HashMap(); m.put(1, h); m.replace(1, new E(), 2); new ConcurrentHashMap(m).replace(1, new E(), 2);",
    ),
    ("remove of values", "", "Map m = new HashMap(); m.put(1, h); m.values().remove(new E());"),
    (
        "contains of values",
        "",
        "Map m = new LinkedHashMap(); m.put(1, h); m.values().contains(new E());",
    ),
    ("Collections.frequency", "", boxed!("ArrayList", "Collections.frequency(b, new E());")),
    ("Collections.disjoint", "", boxed!("ArrayList", "Collections.disjoint(List.of(new E()), b);")),
    ("Collections.replaceAll", "", boxed!("ArrayList", "Collections.replaceAll(b, new E(), 1);")),
    (
        "Collections.indexOfSubList",
        "",
        boxed!("ArrayList", "Collections.indexOfSubList(b, List.of(new E()));"),
    ),
    ("AtomicReference.get", "", "seen(new AtomicReference(h).get());"),
    (
        "AtomicReference.updateAndGet",
        "",
        "new AtomicReference(h).updateAndGet(o -> { seen(o); return o; });",
    ),
    (
        "Stream.distinct",
        "",
        "class K { public int hashCode() { return 1; } public boolean equals(Object o) { seen(h); return false; } } Stream.of(new K(), new K()).distinct().count();",
    ),
    (
        "collections of the program asked for contains",
        "static class C extends ArrayList { public boolean contains(Object o) { seen(o); return false; } }",
        boxed!("ArrayList", "b.removeAll(new C());"),
    ),
    (
        "collections of the program asked to keep",
        "static class C extends ArrayList { public boolean contains(Object o) { seen(o); return false; } }",
        boxed!("LinkedList", "b.retainAll(new C());"),
    ),
    (
        "addAll of a wrapped list of the program",
        "static class C extends ArrayList { public boolean addAll(Collection c) { seen(c.toArray()[0]); return false; } }",
        boxed!("ArrayList", "Collections.synchronizedList(new C()).addAll(b);"),
    ),
    (
        "add of a wrapped list of the program",
        "static class C extends ArrayList { public boolean add(Object o) { seen(o); return false; } }",
        "Collections.synchronizedList(new C()).add(h);",
    ),
    (
        "Collections.addAll of a list of the program",
        "static class C extends ArrayList { public boolean add(Object o) { seen(o); return false; } }",
        "Collections.addAll(new C(), h);",
    ),
    (
        "put of a wrapped map of the program",
        "static class C extends HashMap { public Object put(Object k, Object v) { seen(v); return null; } }",
        "Collections.synchronizedMap(new C()).put(1, h);",
    ),
    (
        "putAll of a map of the program",
        "static class C extends HashMap { public Object put(Object k, Object v) { seen(v); return null; } }",
        "Map m = new TreeMap(); m.put(1, h); new AbstractMap() { Map to = new C(); public Set entrySet() { return to.entrySet(); } public Object put(Object k, Object v) { return to.put(k, v); } }.putAll(m);",
    ),
    (
        "removeEldestEntry",
        "static class C extends LinkedHashMap { protected boolean removeEldestEntry(Map.Entry e) { seen(e.getValue()); return false; } }",
        "new C().put(1, h);",
    ),
    // Comparators.
    (
        "sort of a list",
        "",
        "List b = new ArrayList(); b.add(h); b.add(h); b.sort((p, q) -> { seen(q); return 0; });",
    ),
    (
        "Collections.sort",
        "",
        "List b = new LinkedList(); b.add(h); b.add(h); Collections.sort(b, (p, q) -> { seen(q); return 0; });",
    ),
    (
        "Collections.max",
        "",
        "List b = new ArrayList(); b.add(h); b.add(h); Collections.max(b, (p, q) -> { seen(q); return 0; });",
    ),
    (
        "Collections.binarySearch",
        "",
        "List b = new ArrayList(); b.add(1); Collections.binarySearch(b, h, (p, q) -> { seen(q); return 0; });",
    ),
    ("TreeSet.add", "", "new TreeSet((p, q) -> { seen(q); return 0; }).add(h);"),
    (
        "TreeMap.firstKey",
        "",
        "TreeMap m = new TreeMap((p, q) -> p == q ? 0 : 1); m.put(h, 1); seen(m.firstKey());",
    ),
    (
        "ConcurrentSkipListMap.put",
        "",
        "new ConcurrentSkipListMap((p, q) -> { seen(q); return 0; }).put(h, 1);",
    ),
    (
        "PriorityQueue.add",
        "",
        "var q = new PriorityQueue(2, (Comparator) (o, p) -> { seen(p); return 0; }); q.add(h); q.add(h);",
    ),
    (
        "PriorityQueue.peek",
        "",
        "var q = new PriorityQueue(); q.add(new Comparable() { public int compareTo(Object o) { return 0; } public String toString() { seen(h); return null; } }); q.peek().toString();",
    ),
    (
        "Comparator.comparing",
        "",
        "List b = new ArrayList(); b.add(h); b.add(h); b.sort(Comparator.comparing(o -> { seen(o); return 1; }));",
    ),
    (
        "Comparator.thenComparing",
        "",
        "List b = new ArrayList(); b.add(h); b.add(h); b.sort(((Comparator) (p, q) -> 0).thenComparing((p, q) -> { seen(p); return 0; }));",
    ),
    (
        "Collections.reverseOrder",
        "",
        "Collections.reverseOrder((p, q) -> { seen(p); return 0; }).compare(h, h);",
    ),
    (
        "Stream.sorted",
        "",
        "Stream.of(h, h).sorted((p, q) -> { seen(p); return 0; }).count(); Stream.of(h, h).sorted((p, q) -> { seen(p); return 0; }).toList();",
    ),
    (
        "compareTo",
        "static class K implements Comparable { Object o; public int compareTo(Object p) { seen(((K) p).o); return 0; } }",
        "K k = new K(); k.o = h; new TreeSet().add(k);",
    ),
    // Functions.
    ("forEach", "", boxed!("ArrayList", "b.forEach($D::seen);")),
    (
        "forEach of a wrapper",
        "",
        boxed!("ArrayList", "Collections.unmodifiableList(b).forEach($D::seen);"),
    ),
    ("forEachRemaining", "", boxed!("ArrayList", "b.iterator().forEachRemaining($D::seen);")),
    ("forEach of a map", "", "Map m = new HashMap(); m.put(1, h); m.forEach((k, v) -> seen(v));"),
    (
        "forEach of a set of entries",
        "",
        "Map m = new HashMap(); m.put(1, h); m.entrySet().forEach(e -> seen(((Map.Entry) e).getValue()));",
    ),
    ("removeIf", "", boxed!("ArrayDeque", "b.removeIf(o -> { seen(o); return false; });")),
    ("replaceAll", "", boxed!("ArrayList", "b.replaceAll(o -> { seen(o); return 1; });")),
    (
        "result of replaceAll",
        "",
        "List b = new ArrayList(); b.add(1); b.replaceAll(o -> h); seen(b.get(0));",
    ),
    (
        "replaceAll of a map",
        "",
        "Map m = new HashMap(); m.put(1, 1); m.replaceAll((k, v) -> h); seen(m.get(1));",
    ),
    ("computeIfAbsent", "", "Map m = new HashMap(); m.computeIfAbsent(1, k -> h); seen(m.get(1));"),
    (
        "computeIfPresent",
        "",
        "Map m = new HashMap(); m.put(1, h); m.computeIfPresent(1, (k, v) -> { seen(v); return v; });",
    ),
    (
        "compute",
        "",
        "Map m = new ConcurrentHashMap(); m.put(1, h); m.compute(1, (k, v) -> { seen(v); return v; });",
    ),
    (
        "merge",
        "",
        "Map m = new TreeMap(); m.put(1, 1); m.merge(1, h, (p, q) -> { seen(q); return q; });",
    ),
    (
        "computeIfAbsent with a key",
        "",
        "Map m = new IdentityHashMap(); m.computeIfAbsent(h, k -> { seen(k); return 1; });",
    ),
    (
        "search of a map",
        "",
        "var m = new ConcurrentHashMap(); m.put(1, h); m.search(1, (k, v) -> { seen(v); return null; });",
    ),
    (
        "Stream.map",
        "",
        boxed!("ArrayList", "b.stream().map(o -> { seen(o); return o; }).toList();"),
    ),
    (
        "Stream.reduce",
        "",
        "List b = new ArrayList(); b.add(1); b.add(h); b.stream().reduce((p, q) -> { seen(q); return p; });",
    ),
    (
        "Stream.collect",
        "",
        boxed!("LinkedList", "seen(((List) b.stream().collect(Collectors.toList())).get(0));"),
    ),
    (
        "Collectors.groupingBy",
        "",
        boxed!(
            "ArrayList",
            "b.stream().collect(Collectors.groupingBy(o -> { seen(o); return 1; }));"
        ),
    ),
    ("Stream.iterator", "", boxed!("ArrayList", "seen(b.stream().iterator().next());")),
    (
        "Stream.flatMap",
        "",
        boxed!("ArrayList", "Stream.of(1).flatMap(o -> b.stream()).forEach($D::seen);"),
    ),
    ("Stream.generate", "", "Stream.generate(() -> h).limit(1).forEach($D::seen);"),
    ("Spliterator.tryAdvance", "", boxed!("ArrayList", "b.spliterator().tryAdvance($D::seen);")),
    ("Optional.map", "", "Optional.of(h).map(o -> { seen(o); return 1; });"),
    ("Optional.ifPresent", "", "Optional.of(h).ifPresent($D::seen);"),
    ("Optional.orElseGet", "", "seen(Optional.empty().orElseGet(() -> h));"),
    ("Function.andThen", "", "Function.identity().andThen(o -> { seen(o); return o; }).apply(h);"),
    ("ThreadLocal.withInitial", "", "seen(ThreadLocal.withInitial(() -> h).get());"),
    (
        "ThreadLocal subclass",
        "static class L extends ThreadLocal { Object o; protected Object initialValue() { return o; } }",
        "L t = new L(); t.o = h; seen(t.get());",
    ),
    ("StackWalker", "", "seen(StackWalker.getInstance().walk(s -> h));"),
    ("String.format", "", "String.format(\"%s\", (Formattable) (f, a, b, c) -> seen(h));"),
    (
        "String.join",
        "",
        "String.join(\"\", new CharSequence() { public int length() { return 0; } public char charAt(int n) { return 'x'; } public CharSequence subSequence(int n, int m) { return this; } public String toString() { seen(h); return \"\"; } });",
    ),
    (
        "a concatenation",
        "static class K { Object o; public String toString() { seen(o); return \"\"; } }",
        "K k = new K(); k.o = h; String s = \"\" + k;",
    ),
    (
        "println",
        "static class K { Object o; public String toString() { seen(o); return \"\"; } }",
        "K k = new K(); k.o = h; new PrintStream(new ByteArrayOutputStream()).println(k);",
    ),
    // What the JDK keeps.
    ("WeakReference", "", "seen(new WeakReference(h).get());"),
    ("Objects.requireNonNull", "", "seen(Objects.requireNonNull(h));"),
    ("Objects.requireNonNullElse", "", "seen(Objects.requireNonNullElse(null, h));"),
    ("List.of", "", "seen(List.of(h).get(0));"),
    ("Map.of", "", "seen(Map.of(1, h).get(1));"),
    ("List.copyOf", "", boxed!("ArrayList", "seen(List.copyOf(b).get(0));")),
    ("Collections.singletonList", "", "seen(Collections.singletonList(h).get(0));"),
    ("Collections.nCopies", "", "seen(Collections.nCopies(2, h).get(1));"),
    (
        "Collections.unmodifiableMap",
        "",
        "Map m = new HashMap(); m.put(1, h); seen(Collections.unmodifiableMap(m).get(1));",
    ),
    (
        "Collections.synchronizedCollection",
        "",
        boxed!("ArrayDeque", "seen(Collections.synchronizedCollection(b).iterator().next());"),
    ),
    (
        "Collections.checkedList",
        "",
        boxed!("ArrayList", "seen(Collections.checkedList(b, Object.class).get(0));"),
    ),
    (
        "Collections.enumeration",
        "",
        boxed!("ArrayList", "seen(Collections.enumeration(b).nextElement());"),
    ),
    ("Collections.list", "", boxed!("Vector", "seen(Collections.list(b.elements()).get(0));")),
    (
        "Collections.fill",
        "",
        "List b = new ArrayList(List.of(1)); Collections.fill(b, h); seen(b.get(0));",
    ),
    (
        "Collections.copy",
        "",
        boxed!(
            "ArrayList",
            "List to = new ArrayList(List.of(1)); Collections.copy(to, b); seen(to.get(0));"
        ),
    ),
    (
        "Collections.addAll",
        "",
        "List b = new ArrayList(); Collections.addAll(b, 1, h); seen(b.get(1));",
    ),
    (
        "Collections.newSetFromMap",
        "",
        "Set b = Collections.newSetFromMap(new IdentityHashMap()); b.add(h); seen(b.iterator().next());",
    ),
    (
        "Collections.asLifoQueue",
        "",
        "Queue b = Collections.asLifoQueue(new ArrayDeque()); b.add(h); seen(b.poll());",
    ),
    ("subList", "", boxed!("ArrayList", "seen(b.subList(0, 1).get(0));")),
    (
        "set in a subList",
        "",
        "List b = new ArrayList(List.of(1)); b.subList(0, 1).set(0, h); seen(b.get(0));",
    ),
    ("headMap", "", "TreeMap m = new TreeMap(); m.headMap(5).put(1, h); seen(m.get(1));"),
    (
        "descendingMap",
        "",
        "TreeMap m = new TreeMap(); m.descendingMap().put(1, h); seen(m.get(1));",
    ),
    ("descendingIterator", "", boxed!("ArrayDeque", "seen(b.descendingIterator().next());")),
    (
        "ListIterator.set",
        "",
        "List b = new ArrayList(List.of(1)); ListIterator k = b.listIterator(); k.next(); k.set(h); seen(b.get(0));",
    ),
    ("ListIterator.add", "", "List b = new LinkedList(); b.listIterator().add(h); seen(b.get(0));"),
    (
        "Map.Entry.setValue",
        "",
        "Map m = new HashMap(); m.put(1, 1); ((Map.Entry) m.entrySet().iterator().next()).setValue(h); seen(m.get(1));",
    ),
    ("copy by a constructor", "", boxed!("ArrayList", "seen(new ArrayDeque(b).peek());")),
    (
        "copy of a map",
        "",
        "Map m = new HashMap(); m.put(1, h); seen(new TreeMap(m).firstEntry().getValue());",
    ),
    ("clone of a list", "", boxed!("ArrayList", "seen(((List) b.clone()).get(0));")),
    (
        "addAll",
        "",
        boxed!("ArrayList", "List to = new LinkedList(); to.addAll(b); seen(to.get(0));"),
    ),
    (
        "putAll",
        "",
        "Map m = new HashMap(), to = new LinkedHashMap(); m.put(1, h); to.putAll(m); seen(to.get(1));",
    ),
    (
        "WeakHashMap",
        "",
        "Map m = new WeakHashMap(); m.put(1, h); seen(m.values().iterator().next());",
    ),
    (
        "Hashtable.elements",
        "",
        "var m = new Hashtable(); m.put(1, h); seen(m.elements().nextElement());",
    ),
    (
        "EnumMap",
        "enum N { ONE }",
        "var m = new EnumMap(N.class); m.put(N.ONE, h); seen(m.get(N.ONE));",
    ),
    ("Properties", "", "var m = new Properties(); m.put(1, h); seen(m.get(1));"),
    ("ArrayBlockingQueue", "", "var q = new ArrayBlockingQueue(1); q.put(h); seen(q.take());"),
    (
        "DelayQueue",
        "static class K implements Delayed { Object o; public long getDelay(TimeUnit u) { seen(o); return 0; } public int compareTo(Delayed d) { return 0; } }",
        "K k = new K(); k.o = h; var q = new DelayQueue(); q.add(k); q.poll();",
    ),
    (
        "a resource bundle",
        "static Object held; public static class B extends ListResourceBundle { protected Object[][] getContents() { return new Object[][] { { \"k\", held } }; } }",
        "held = h; seen(new B().getObject(\"k\"));",
    ),
    (
        "a property change",
        "",
        "var s = new java.beans.PropertyChangeSupport(new Object()); s.addPropertyChangeListener(e -> seen(e.getNewValue())); s.firePropertyChange(\"p\", null, h);",
    ),
    (
        "an observer",
        "static class O extends Observable { void go(Object o) { setChanged(); notifyObservers(o); } }",
        "O o = new O(); o.addObserver((a, b) -> seen(b)); o.go(h);",
    ),
    ("EventObject", "", "seen(new EventObject(h).getSource());"),
    (
        "a log record",
        "",
        "var r = new java.util.logging.LogRecord(java.util.logging.Level.INFO, \"\"); r.setParameters(new Object[] { h }); seen(r.getParameters()[0]);",
    ),
    (
        "a format",
        "",
        "var f = new java.text.MessageFormat(\"{0}\"); f.format(new Object[] { new Object() { public String toString() { seen(h); return \"\"; } } });",
    ),
    (
        "suppressed exceptions",
        "static class X extends RuntimeException { Object o; }",
        "X x = new X(); x.o = h; Throwable t = new Error(); t.addSuppressed(x); seen(((X) t.getSuppressed()[0]).o);",
    ),
    (
        "the cause of an exception",
        "static class X extends RuntimeException { Object o; }",
        "X x = new X(); x.o = h; seen(((X) new Error(x).getCause()).o);",
    ),
    // Threads.
    ("a thread", "", "Thread t = new Thread(() -> seen(h)); t.start(); t.join();"),
    (
        "a subclass of Thread",
        "static class T extends Thread { Object o; public void run() { seen(o); } }",
        "T t = new T(); t.o = h; t.start(); t.join();",
    ),
    ("a FutureTask", "", "var f = new FutureTask(() -> h); f.run(); seen(f.get());"),
    (
        "a CompletableFuture",
        "",
        "CompletableFuture.completedFuture(h).thenAccept($D::seen).join();",
    ),
    (
        "a failed CompletableFuture",
        "static class X extends RuntimeException { Object o; }",
        "X x = new X(); x.o = h; new CompletableFuture() {{ completeExceptionally(x); }}.exceptionally(e -> { seen(((X) e).o); return null; });",
    ),
    (
        "a handler of uncaught exceptions",
        "static class X extends RuntimeException { Object o; }",
        "X x = new X(); x.o = h; Thread t = new Thread(() -> { throw x; }); t.setUncaughtExceptionHandler((u, e) -> seen(((X) e).o)); t.start(); t.join();",
    ),
    (
        "an executor",
        "",
        "var e = Executors.newSingleThreadExecutor(); try { seen(e.submit(() -> h).get()); } finally { e.shutdown(); }",
    ),
    (
        "a timer",
        "static class T extends TimerTask { Object o; CountDownLatch done = new CountDownLatch(1); public void run() { seen(o); done.countDown(); } }",
        "T t = new T(); t.o = h; Timer m = new Timer(true); m.schedule(t, 0); t.done.await(); m.cancel();",
    ),
    // Reflection.
    (
        "a field by its name",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; seen(K.class.getDeclaredField(\"o\").get(k));",
    ),
    (
        "all fields",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; for (Field f : k.getClass().getDeclaredFields()) seen(f.get(k));",
    ),
    (
        "Field.set",
        "static class K { Object o; }",
        "K k = new K(); K.class.getDeclaredField(\"o\").set(k, h); seen(k.o);",
    ),
    ("Method.invoke", "", "$D.class.getDeclaredMethod(\"seen\", Object.class).invoke(null, h);"),
    (
        "all methods",
        "",
        "for (Method m : $D.class.getDeclaredMethods()) if (m.getName().equals(\"seen\")) m.invoke(null, h);",
    ),
    (
        "the enclosing method",
        "static Class<?> local() { return null; } static Method at(Object o) { class In {} return In.class.getEnclosingMethod(); } static class Outer { static Object go(Object o) { class In {} if (o == null) return In.class.getEnclosingMethod(); seen(o); return null; } }",
        "Method m = (Method) Outer.go(null); m.invoke(null, h);",
    ),
    (
        "Constructor.newInstance",
        "static class K { K(Object o) { seen(o); } }",
        "K.class.getDeclaredConstructor(Object.class).newInstance(h);",
    ),
    (
        "a method handle",
        "",
        "MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class)).invoke(h);",
    ),
    (
        "a bound method handle",
        "",
        "MethodHandle m = MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class)); MethodHandles.insertArguments(m, 0, h).invoke();",
    ),
    (
        "a variable handle",
        "static class K { Object o; }",
        "K k = new K(); VarHandle v = MethodHandles.lookup().findVarHandle(K.class, \"o\", Object.class); v.set(k, h); seen(k.o);",
    ),
    (
        "a getter",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; seen(MethodHandles.lookup().findGetter(K.class, \"o\", Object.class).invoke(k));",
    ),
    (
        "a variable handle of arrays",
        "",
        "Object[] a = new Object[1]; MethodHandles.arrayElementVarHandle(Object[].class).set(a, 0, h); seen(a[0]);",
    ),
    (
        "a field updater",
        "static class K { volatile Object o; }",
        "K k = new K(); AtomicReferenceFieldUpdater.newUpdater(K.class, Object.class, \"o\").set(k, h); seen(k.o);",
    ),
    (
        "a proxy",
        "",
        "((Consumer) Proxy.newProxyInstance($D.class.getClassLoader(), new Class[] { Consumer.class }, (p, m, a) -> { seen(a[0]); return null; })).accept(h);",
    ),
    (
        "a proxy that calls on",
        "interface Take { void take(Object o); } static class K implements Take { public void take(Object o) { seen(o); } }",
        "K k = new K(); ((Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class[] { Take.class }, (p, m, a) -> m.invoke(k, new Object[] { h }))).take(null);",
    ),
    (
        "the default method of a proxy",
        "public interface Take { default void take(Object o) { seen(o); } }",
        "((Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class[] { Take.class }, (p, m, a) -> InvocationHandler.invokeDefault(p, m, new Object[] { h }))).take(null);",
    ),
    (
        "what a lambda captured, by its fields",
        "static Runnable of(Object o) { return () -> o.hashCode(); }",
        "Runnable r = of(h); Field f = r.getClass().getDeclaredFields()[0]; f.setAccessible(true); seen(f.get(r));",
    ),
    (
        "what a lambda captured, by name",
        "static Runnable of(Object o) { return () -> o.hashCode(); }",
        "Runnable r = of(h); Field f = r.getClass().getDeclaredField(\"arg$1\"); f.setAccessible(true); seen(f.get(r));",
    ),
    (
        "what a lambda captured, by itself",
        "interface Self { Object o(); default Object peek() throws Exception { Field f = getClass().getDeclaredFields()[0]; f.setAccessible(true); return f.get(this); } } static Self of(Object o) { return () -> o.hashCode(); }",
        "seen(of(h).peek());",
    ),
    (
        "what a method reference is bound to",
        "",
        "Runnable r = h::hashCode; for (Field f : r.getClass().getDeclaredFields()) { f.setAccessible(true); seen(f.get(r)); }",
    ),
    (
        "Unsafe",
        "static class K { Object o; }",
        "Field u = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\"); u.setAccessible(true); K k = new K(); k.o = h; seen(((sun.misc.Unsafe) u.get(null)).getObject(k, 12L));",
    ),
    (
        "Unsafe with offsets",
        "static class K { Object o; }",
        "Field u = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\"); u.setAccessible(true); var s = (sun.misc.Unsafe) u.get(null); K k = new K(); s.putObject(k, s.objectFieldOffset(K.class.getDeclaredField(\"o\")), h); seen(k.o);",
    ),
    (
        "Unsafe on a wrapper",
        "",
        boxed!(
            "ArrayList",
            "Field u = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\"); u.setAccessible(true); Object w = Collections.unmodifiableList(b); seen(((List) ((sun.misc.Unsafe) u.get(null)).getObject(w, 12L)).get(0));"
        ),
    ),
    // Serialisation.
    (
        "what a serialisable lambda captured",
        "interface S extends Serializable, Runnable {} static S of(Object o) { return () -> o.hashCode(); }",
        "S r = of(h); Method m = r.getClass().getDeclaredMethod(\"writeReplace\"); m.setAccessible(true); seen(((SerializedLambda) m.invoke(r)).getCapturedArg(0));",
    ),
    (
        "replaceObject",
        "static class K implements Serializable { Object o; } static class O extends ObjectOutputStream { O() throws IOException { super(new ByteArrayOutputStream()); enableReplaceObject(true); } protected Object replaceObject(Object o) { if (o instanceof K) return o; seen(o); return null; } }",
        "K k = new K(); k.o = h; new O().writeObject(k);",
    ),
    (
        "replaceObject in a wrapper",
        "static class O extends ObjectOutputStream { Object in; O(Object o) throws IOException { super(new ByteArrayOutputStream()); in = o; enableReplaceObject(true); } protected Object replaceObject(Object o) { if (o == in || o instanceof Object[]) return o; seen(((List) o).get(0)); return null; } }",
        boxed!("ArrayList", "Object w = Collections.unmodifiableList(b); new O(w).writeObject(w);"),
    ),
    (
        "replaceObject gets an array in a field",
        replacing!("static class K implements Serializable { Object[] o; }"),
        "K k = new K(); k.o = new Object[] { h }; new O().writeObject(k);",
    ),
    (
        "replaceObject gets lists in a map",
        replacing!(""),
        boxed!("ArrayList", "Map m = new TreeMap(); m.put(\"k\", b); new O().writeObject(m);"),
    ),
    (
        "replaceObject gets what a serialisable lambda captured",
        replacing!(
            "interface S extends Serializable, Runnable {} static S of(Object o) { return () -> o.hashCode(); }"
        ),
        "new O().writeObject(of(h));",
    ),
    (
        "replaceObject gets what another thread writes",
        replacing!("static class K implements Serializable { Object o; }"),
        "K k = new K(); k.o = h; Thread t = new Thread(() -> { try { new O().writeObject(k); } catch (IOException e) { } }); t.start(); t.join();",
    ),
    (
        "replaceObject gets what a subclass of a subclass writes",
        replacing!(
            "static class K implements Serializable { Object o; } static class P extends O { P() throws IOException { } } static class Q extends P { Q() throws IOException { } }"
        ),
        "K k = new K(); k.o = h; new Q().writeObject(k);",
    ),
    (
        "replaceObject gets what is enabled in a superclass",
        concat!(
            "static abstract class A extends ObjectOutputStream { A() throws IOException { super(new ByteArrayOutputStream()); enableReplaceObject(true); } } static class K implements Serializable { Object o; } static class O extends A { O() throws IOException { } ",
            replaced!(),
            " }"
        ),
        "K k = new K(); k.o = h; new O().writeObject(k);",
    ),
    (
        "replaceObject gets a stream made by reflection",
        replacing!("static class K implements Serializable { Object o; }"),
        "K k = new K(); k.o = h; O.class.getDeclaredConstructor().newInstance().writeObject(k);",
    ),
    (
        "replaceObject gets a stream made by a reference",
        replacing!(
            "static class K implements Serializable { Object o; } interface Make { ObjectOutputStream make() throws IOException; }"
        ),
        "K k = new K(); k.o = h; Make make = O::new; make.make().writeObject(k);",
    ),
    (
        "replaceObject gets what writeReplace returns",
        replacing!(
            "static class M implements Serializable { Object o; } static class K implements Serializable { transient Object o; private Object writeReplace() { M m = new M(); m.o = o; return m; } }"
        ),
        "K k = new K(); k.o = h; new O().writeObject(k);",
    ),
    (
        "replaceObject gets a transient field that is named",
        replacing!(
            "static class K implements Serializable { transient Object o; private static final ObjectStreamField[] serialPersistentFields = { new ObjectStreamField(\"o\", Object.class) }; }"
        ),
        "K k = new K(); k.o = h; new O().writeObject(k);",
    ),
    (
        "replaceObject gets what writeExternal writes",
        replacing!(
            "static class K implements Externalizable { Object o; public K() { } public void writeExternal(ObjectOutput out) throws IOException { out.writeObject(o); } public void readExternal(ObjectInput in) { } }"
        ),
        "K k = new K(); k.o = h; new O().writeObject(List.of(k));",
    ),
    (
        "replaceObject gets what putFields puts",
        replacing!(
            "static class K implements Serializable { transient Object o; private static final ObjectStreamField[] serialPersistentFields = { new ObjectStreamField(\"p\", Object.class) }; private void writeObject(ObjectOutputStream out) throws IOException { out.putFields().put(\"p\", o); out.writeFields(); } }"
        ),
        "K k = new K(); k.o = h; new O().writeObject(k);",
    ),
    (
        "replaceObject gets the map of a view",
        replacing!(""),
        "Map m = new ConcurrentHashMap(); m.put(\"k\", h); new O().writeObject(m.keySet());",
    ),
    (
        "replaceObject gets the table of a view",
        replacing!(""),
        "Map m = new Hashtable(); m.put(\"k\", h); new O().writeObject(m.keySet());",
    ),
    (
        "replaceObject gets the vector of a part",
        replacing!(""),
        boxed!("Vector", "new O().writeObject(b.subList(0, 0));"),
    ),
    (
        "replaceObject gets the map of a part",
        replacing!(""),
        "TreeMap m = new TreeMap(); m.put(\"k\", h); new O().writeObject(m.headMap(\"a\"));",
    ),
    (
        "replaceObject gets a synchronised map",
        replacing!(""),
        "Map m = new HashMap(); m.put(\"k\", h); new O().writeObject(Collections.synchronizedMap(m));",
    ),
    (
        "replaceObject gets a component of a record",
        replacing!("record R(Object o) implements Serializable { }"),
        "new O().writeObject(new R(h));",
    ),
    (
        "replaceObject gets the object around an inner one",
        replacing!(
            "static class K implements Serializable { Object o; class In implements Serializable { int n() { return o.hashCode(); } } }"
        ),
        "K k = new K(); k.o = h; new O().writeObject(k.new In());",
    ),
    (
        "replaceObject gets a field of an exception",
        replacing!("static class X extends Exception { Object o; }"),
        "X k = new X(); k.o = h; new O().writeObject(k);",
    ),
    (
        "replaceObject gets what a method reference writes",
        replacing!(
            "static class K implements Serializable { Object o; } interface Writes { void to(Object o) throws IOException; }"
        ),
        "K k = new K(); k.o = h; Writes w = new O()::writeObject; w.to(k);",
    ),
    (
        "replaceObject gets what an ObjectOutput writes",
        replacing!("static class K implements Serializable { Object o; }"),
        "K k = new K(); k.o = h; ObjectOutput out = new O(); out.writeObject(k);",
    ),
    (
        "writeExternal",
        "static class K implements Externalizable { Object o; public K() {} public void writeExternal(ObjectOutput out) { seen(o); } public void readExternal(ObjectInput in) {} }",
        "K k = new K(); k.o = h; new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(List.of(k));",
    ),
    (
        "writeObject",
        "static class K implements Serializable { transient Object o; private void writeObject(ObjectOutputStream out) { seen(o); } }",
        "K k = new K(); k.o = h; new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(new Object[] { k });",
    ),
    (
        "writeReplace",
        "static class K implements Serializable { transient Object o; private Object writeReplace() { seen(o); return 1; } }",
        "K k = new K(); k.o = h; new ObjectOutputStream(new ByteArrayOutputStream()).writeObject(k);",
    ),
    (
        "readResolve",
        "static Object held; static class K implements Serializable { private Object readResolve() { return held; } }",
        "held = h; var to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(new K()); seen(new ObjectInputStream(new ByteArrayInputStream(to.toByteArray())).readObject());",
    ),
    (
        "resolveObject",
        "static class I extends ObjectInputStream { Object o; I(byte[] b, Object o) throws IOException { super(new ByteArrayInputStream(b)); this.o = o; enableResolveObject(true); } protected Object resolveObject(Object p) { return p.equals(\"x\") ? o : p; } }",
        "var to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(new ArrayList(List.of(\"x\"))); seen(((List) new I(to.toByteArray(), h).readObject()).get(0));",
    ),
];
