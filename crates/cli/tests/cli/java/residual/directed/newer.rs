//! Mechanisms that JDK 17 does not have.

use super::{Mechanism, Mechanisms};

const ALL: Mechanisms = Mechanisms(&[MECHANISMS]);

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

/// See the module.
pub const MECHANISMS: &[Mechanism] = &[
    (
        "a scoped value",
        "static final ScopedValue S = ScopedValue.newInstance();",
        "ScopedValue.where(S, h).run(() -> seen(S.get()));",
    ),
    (
        "a gatherer that folds",
        "",
        "Stream.of(h).gather(Gatherers.fold(() -> null, (a, b) -> { seen(b); return b; })).toList();",
    ),
    (
        "a gatherer of windows",
        "",
        "Stream.of(h).gather(Gatherers.windowFixed(1)).forEach(w -> seen(((List) w).get(0)));",
    ),
    (
        "a gatherer of the program",
        "",
        "Stream.of(h).gather(Gatherer.of(Gatherer.Integrator.of((a, x, d) -> { seen(x); return d.push(x); }))).toList();",
    ),
    (
        "a gatherer that maps",
        "",
        "Stream.of(h).gather(Gatherers.mapConcurrent(1, x -> { seen(x); return x; })).toList();",
    ),
    ("a virtual thread", "", "Thread.ofVirtual().start(() -> seen(h)).join();"),
    (
        "an executor of virtual threads",
        "",
        "try (var e = Executors.newVirtualThreadPerTaskExecutor()) { seen(e.submit(() -> h).get()); }",
    ),
    (
        "an element that a reversed list sets",
        "",
        "List b = new ArrayList(List.of(1)); b.reversed().set(0, h); seen(b.get(0));",
    ),
    (
        "a list that is reversed twice",
        "",
        "Iterator j = l2.iterator(); j.hasNext(); ((List) l2.reversed().reversed()).add(\"z\"); j.next(); seen(h);",
    ),
    (
        "keys in sequence, which are the keys",
        "",
        "var m = new LinkedHashMap(); m.put(1, 1); m.put(2, 2); Set k1 = m.keySet(); Set k2 = m.sequencedKeySet(); Iterator j = k2.iterator(); j.hasNext(); k1.remove(1); j.next();",
    ),
    (
        "values in sequence",
        "",
        "var m = new LinkedHashMap(); m.put(1, h); seen(m.sequencedValues().getFirst());",
    ),
    (
        "entries of a reversed map",
        "",
        "var m = new LinkedHashMap(); m.put(1, 1); ((Map.Entry) m.reversed().sequencedEntrySet().getFirst()).setValue(h); try { seen(m.get(1)); } finally { }",
    ),
    (
        "putFirst",
        "",
        "var m = new LinkedHashMap(); m.putFirst(1, h); seen(m.firstEntry().getValue());",
    ),
    ("addFirst of a list", "", "List b = new ArrayList(); b.addFirst(h); seen(b.getLast());"),
    ("addFirst of a set", "", "var b = new LinkedHashSet(); b.addFirst(h); seen(b.removeLast());"),
    (
        "getFirst of a list of the program",
        "static class C extends AbstractList { Object o; public int size() { return 1; } public Object get(int n) { return o; } }",
        "C c = new C(); c.o = h; seen(c.getFirst());",
    ),
    (
        "a list of the program that is reversed",
        "static class C extends AbstractList { Object o; public int size() { return 1; } public Object get(int n) { return o; } }",
        "C c = new C(); c.o = h; seen(c.reversed().get(0));",
    ),
    (
        "a set in sequence from a map",
        "",
        "var s = Collections.newSequencedSetFromMap(new LinkedHashMap()); s.add(h); seen(s.getFirst());",
    ),
    (
        "a wrapped set in sequence",
        "",
        "var s = new LinkedHashSet(); s.add(h); seen(Collections.unmodifiableSequencedSet(s).getFirst());",
    ),
    (
        "a switch that takes records apart",
        "record R(Object o) { }",
        "Object r = new R(h); switch (r) { case R(List x) -> seen(r instanceof R q ? q.o() : null); case R(Object x) -> seen(x); default -> { } }",
    ),
    (
        "a record that is taken apart",
        "record R(Object o) { }",
        "Object r = new R(h); if (r instanceof R(Object x)) seen(x);",
    ),
    (
        "a guard of a switch",
        "record R(Object o) { boolean ok() { seen(o); return true; } }",
        "Object r = new R(h); int n = switch (r) { case R q when q.ok() -> 1; default -> 0; };",
    ),
    (
        "a switch over constants and records",
        "sealed interface S permits E1, R1 { } enum E1 implements S { A } record R1(Object o) implements S { }",
        "S s = new R1(h); switch (s) { case E1.A -> { } case R1 q -> seen(q.o()); }",
    ),
    (
        "a function with a switch",
        "",
        "Stream.of(h).mapMulti((x, c) -> { switch (x) { case List q -> c.accept(q); default -> c.accept(x); } }).forEach($D::seen);",
    ),
    (
        "a scoped value that is returned",
        "static final ScopedValue S = ScopedValue.newInstance();",
        "seen(ScopedValue.where(S, h).call(() -> S.orElse(null)));",
    ),
    (
        "keys of a reversed map",
        "",
        "var m = new LinkedHashMap(); m.put(h, 1); seen(m.reversed().keySet().iterator().next());",
    ),
    (
        "values of a reversed map",
        "",
        "var m = new TreeMap(); m.put(1, h); seen(m.reversed().values().iterator().next());",
    ),
    (
        "a reversed deque",
        "",
        "var d = new ArrayDeque(); d.reversed().addFirst(h); seen(d.getLast());",
    ),
    (
        "an executor that is closed",
        "",
        "var e = Executors.newFixedThreadPool(1); e.submit(() -> seen(h)); e.close();",
    ),
    ("resultNow", "", "var f = CompletableFuture.completedFuture(h); seen(f.resultNow());"),
    (
        "a factory of threads",
        "",
        "Thread t = Thread.ofPlatform().factory().newThread(() -> seen(h)); t.start(); t.join();",
    ),
    (
        "a handler of a builder of threads",
        "static class X extends RuntimeException { Object o; }",
        "X x = new X(); x.o = h; Thread t = Thread.ofPlatform().uncaughtExceptionHandler((u, e) -> seen(((X) e).o)).start(() -> { throw x; }); t.join();",
    ),
    (
        "a method of newer lists, asked by an interface of the program",
        "interface Give { Object getFirst(); } static class Sub extends ArrayList implements Give { } static class Other implements Give { public Object getFirst() { return null; } } static Give pick(boolean b, Give s) { return b ? new Other() : s; }",
        "Sub s = new Sub(); s.add(h); seen(pick(h == null, s).getFirst());",
    ),
    (
        "a field that is set before the constructor above",
        "static abstract class A { A() { go(); } abstract void go(); } static class B extends A { final Object o; B(Object p) { o = p; super(); } void go() { seen(o); } }",
        "new B(h);",
    ),
    (
        "an accessor that fails in a pattern",
        "static class X extends RuntimeException { Object o; X(Object o) { this.o = o; } } record R(Object o) { public Object o() { throw new X(o); } }",
        "Object r = new R(h); try { if (r instanceof R(Object x)) seen(x); } catch (MatchException e) { seen(((X) e.getCause()).o); }",
    ),
    (
        "the state of a gatherer",
        "",
        "Stream.of(1).gather(Gatherer.ofSequential(() -> new Object[] { h }, Gatherer.Integrator.of((s, x, d) -> d.push(s[0])))).forEach($D::seen);",
    ),
    (
        "what a gatherer pushes at its end",
        "",
        "Stream.of(h).gather(Gatherer.ofSequential(() -> new ArrayList(), Gatherer.Integrator.of((s, x, d) -> s.add(x)), (s, d) -> d.push(s.get(0)))).forEach($D::seen);",
    ),
    (
        "a map of the program in sequence",
        "static class M extends AbstractMap implements SequencedMap { Object o; public Set entrySet() { return new LinkedHashSet(List.of(Map.entry(1, o))); } public SequencedMap reversed() { return null; } }",
        "M m = new M(); m.o = h; seen(m.firstEntry().getValue());",
    ),
    (
        "a deque of the program that is reversed",
        "static class Q extends ArrayDeque { public void addLast(Object o) { seen(o); } }",
        "new Q().reversed().addFirst(h);",
    ),
];
