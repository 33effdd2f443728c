//! Random Java programs about lists, maps and iterators: fields, calls, recursion, exceptions,
//! loops, aliases, arrays, lambdas, threads, classes of their own, lists in lists and maps; with many
//! joins. Some find their own methods, constructors and fields by reflection or handles.
//!
//! Every program is a class of its own, `P0`, `P1`, …; `R` has what they share, `Main` runs them.

use std::fmt::Write;

/// A small generator of random numbers: the same seed, the same programs.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What all programs share, and the class that runs those of some numbers, each `runs` times.
pub fn shared(numbers: &[usize], runs: usize) -> String {
    let mut main = String::new();
    // One method per hundred, or the method would be too long.
    for (part, some) in numbers.chunks(100).enumerate() {
        let _ = writeln!(main, "  static void some{part}(int run) {{");
        for number in some {
            let _ = writeln!(
                main,
                "    R.seed({number} * 31 + run); try {{ P{number}.start(run); }} \
                 catch (Throwable t) {{ }} R.join();"
            );
        }
        main.push_str("  }\n");
    }
    let parts = 0..numbers.len().div_ceil(100);
    let calls: String = parts.map(|part| format!("      some{part}(run);\n")).collect();
    format!(
        "import java.util.*;\n\
         class R {{\n\
         \x20 static long s; static int ticks; static final List<Thread> threads = new Vector<>();\n\
         \x20 static void seed(long x) {{ s = x * 0x9e3779b97f4a7c15L | 1; ticks = 0; }}\n\
         \x20 static synchronized int n(int k) {{ s ^= s << 13; s ^= s >>> 7; s ^= s << 17;\n\
         \x20   return (int) ((s >>> 20) % k); }}\n\
         \x20 static boolean b() {{ return n(2) == 0; }}\n\
         \x20 static synchronized void tick() {{ if (++ticks > 250) throw new Error(\"enough\"); }}\n\
         \x20 static Object o() {{ return n(5); }}\n\
         \x20 static void start(Runnable r) {{ Thread t = new Thread(() -> {{\n\
         \x20   try {{ r.run(); }} catch (Throwable e) {{ }} }}); threads.add(t); t.start(); }}\n\
         \x20 static void join() {{ try {{ for (int k = 0; k < threads.size(); k++)\n\
         \x20   threads.get(k).join(); }} catch (InterruptedException e) {{ }} threads.clear(); }}\n\
         }}\n\
         public class Main {{\n{main}  public static void main(String[] a) {{\n    \
         for (int run = 0; run < {runs}; run++) {{\n{calls}    }}\n  }}\n}}\n"
    )
}

/// What a file of programs begins with.
pub const IMPORTS: &str = "import java.util.*;\nimport java.util.function.*;\n";

/// The program of a number.
pub fn program(number: usize) -> String {
    let random = &mut Random::new(number as u64 + 1);
    // A quarter has one method, a quarter has four.
    let methods = 1 + random.below(MAX_METHODS);
    // One in eight has a way or two to call itself by names; in more it would hide much else.
    let reflects = match number % 8 {
        5 => vec![random.below(REFLECTION.len()), random.below(REFLECTION.len())],
        _ => Vec::new(),
    };
    let (out, name) = (String::new(), format!("P{number}"));
    let mut one =
        Program { random, out, fresh: 0, inside: Inside::Method, methods, reflects, name };
    one.class();
    one.out
}

/// Where statements are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// All variables are there.
    Method,
    /// Only what was captured, as `c` and a number.
    Lambda,
}

struct Program<'r> {
    random: &'r mut Random,
    out: String,
    fresh: usize,
    inside: Inside,
    methods: usize,
    /// Which of [`REFLECTION`] it uses.
    reflects: Vec<usize>,
    name: String,
}

const MAX_METHODS: usize = 4;

/// Throws what methods throw that reflection calls.
const SAFELY: &str = "interface G { Object g() throws Exception; }\n  \
    static Object safely(G g) { try { return g.g(); }\n    \
    catch (java.lang.reflect.InvocationTargetException e) { Throwable t = e.getCause();\n      \
    if (t instanceof Error) throw (Error) t; throw (RuntimeException) t; }\n    \
    catch (RuntimeException e) { throw e; } catch (Exception e) { throw new Error(e); } }";

/// Methods that do by reflection what others do without, `$P` is the class; and statements that use
/// them.
const REFLECTION: [(&str, &[&str]); 7] = [
    (
        "Object any(String n, Object... a) { return safely(() -> {\n    \
         for (java.lang.reflect.Method m : getClass().getDeclaredMethods())\n      \
         if (m.getName().equals(n)) return m.invoke(this, a); return null; }); }\n  \
         void hidden(List l) { l.add(1); }\n  { hidden(new ArrayList()); }\n  \
         private List kept = new ArrayList(); List kept() { return kept; }",
        &[
            "$l = (List) any(\"m0\", $k, $i, x, d - 1);",
            "any(\"m0\", $k, $i, $l, d - 1);",
            "for (Object z@ : $l) { R.tick(); any(\"hidden\", $k); }",
            "for (Object z@ : $l) { R.tick(); if (R.b()) any(\"hidden\", $l); }",
            "kept.add(1);",
            "for (Object z@ : kept) { R.tick(); ((List) any(\"kept\")).add(1); }",
        ],
    ),
    (
        "List named(List l, Iterator i, Object x, int d) { return (List) safely(() ->\n    \
         $P.class.getDeclaredMethod(\"m0\", List.class, Iterator.class, Object.class, int.class)\n      \
         .invoke(this, l, i, x, d)); }\n  \
         void look(Iterator i) { if (R.b() || i.hasNext()) i.next(); }\n  \
         { look(new ArrayList(Arrays.asList(1)).iterator()); }",
        &[
            "$l = named($k, $i, x, d - 1);",
            "named($k, $i, $l, d - 1);",
            "for (Iterator z@ = $l.iterator(); R.b(); ) { final Iterator y@ = z@; R.tick();\n      \
             safely(() -> $P.class.getDeclaredMethod(\"look\", Iterator.class).invoke(this, y@)); }",
        ],
    ),
    (
        "List handled(List l, Iterator i, Object x, int d) { return (List) safely(() -> {\n    \
         try { return (List) java.lang.invoke.MethodHandles.lookup().findVirtual($P.class, \"m0\",\n      \
         java.lang.invoke.MethodType.methodType(List.class, List.class, Iterator.class,\n      \
         Object.class, int.class)).invoke(this, l, i, x, d); }\n    \
         catch (Exception e) { throw e; } catch (Throwable t) { throw (Error) t; } }); }",
        &["$l = handled($k, $i, x, d - 1);", "handled($k, $i, $l, d - 1);"],
    ),
    (
        "Object read(String n) { return safely(() -> $P.class.getDeclaredField(n).get(this)); }\n  \
         void write(String n, Object v) { safely(() -> {\n    \
         $P.class.getDeclaredField(n).set(this, v); return null; }); }",
        &[
            "$l = (List) read(\"late\");",
            "$l = (List) read(R.b() ? \"own\" : \"only\");",
            "write(\"late\", $k);",
            "write(\"sl\", $k);",
            "write(\"i\", $i);",
            "$i = (Iterator) read(\"i\");",
        ],
    ),
    (
        "List late() { return (List) safely(() -> $P.class.getDeclaredField(\"late\").get(this)); }\n  \
         void late(List v) { safely(() -> {\n    \
         $P.class.getDeclaredField(\"late\").set(this, v); return null; }); }",
        &["$l = late();", "late($k);", "late($k); $l = late;"],
    ),
    (
        "static Object made(Class c, Object... a) { return safely(() ->\n    \
         c.getDeclaredConstructors()[0].newInstance(a)); }",
        &["$l = (List) made(L.class);", "$i = (Iterator) made(I.class, $i);", "made(E.class, $k);"],
    ),
    (
        "static List copied(List l) { return (List) safely(() ->\n    \
         ArrayList.class.getConstructor(Collection.class).newInstance(l)); }\n  \
         static Object grown(List l) { return safely(() ->\n    \
         $P.class.getDeclaredMethod(\"grow\", List.class).invoke(null, l)); }",
        &["$l = copied($k);", "grown($k);", "for (Object z@ : $l) { R.tick(); grown($k); }"],
    ),
];

impl Program<'_> {
    fn pick<'s>(&mut self, all: &[&'s str]) -> &'s str {
        all[self.random.below(all.len())]
    }

    fn class(&mut self) {
        let name = self.name.clone();
        let _ = writeln!(
            self.out,
            "@SuppressWarnings({{\"unchecked\", \"rawtypes\"}})\nclass {name} {{\n\
             \x20 static class E extends RuntimeException {{ List l; E(List l) {{ this.l = l; }} }}\n\
             \x20 interface F {{ List f(List l); }}\n\
             \x20 static class Q implements Comparator {{\n\
             \x20   public boolean equals(Object o) {{ if (o instanceof List) sl = (List) o; return false; }}\n\
             \x20   public int hashCode() {{ return 1; }}\n\
             \x20   public int compare(Object o, Object p) {{\n\
             \x20     if (o instanceof List) ((List) o).add(1); return 0; }} }}\n\
             \x20 static List sl; static Iterator si; static Runnable sr; static Map sm;\n\
             \x20 private static final List only = new ArrayList();\n\
             \x20 private final List own = new ArrayList();\n\
             \x20 private List late;\n\
             \x20 List l; Iterator i; Object o; List[] a = new List[2]; List reg = new ArrayList();\n\
             \x20 List nest = new ArrayList(), deep = new LinkedList(); Map lists = new HashMap();\n\
             \x20 static List snest = new ArrayList(); List aside = new ArrayList();\n\
             \x20 static void grow(List l) {{ l.add(1); }}\n\
             \x20 void more() {{ aside.add(R.o()); }}"
        );
        self.factory();
        self.own_list();
        self.own_iterator();
        let _ = writeln!(
            self.out,
            "  static void start(int run) {{\n    {name} p = new {name}();\n    \
             if (run == 0) {{ sl = null; si = null; sr = null; sm = null; snest.clear(); }}\n    \
             p.m0(new ArrayList(Arrays.asList(1, 2)), null, null, 3);\n    p.m{}(new ArrayList(), null, null, 2);\n  }}",
            self.random.below(self.methods)
        );
        for method in 0..self.methods {
            self.method(method);
        }
        let mut ways = self.reflects.clone();
        ways.sort_unstable();
        ways.dedup();
        if !ways.is_empty() {
            let _ = writeln!(self.out, "  {SAFELY}");
        }
        for way in ways {
            let _ = writeln!(self.out, "  {}", REFLECTION[way].0.replace("$P", &name));
        }
        self.out.push_str("}\n");
    }

    /// A method that makes a list of lists.
    fn factory(&mut self) {
        let body = self.pick(&[
            "return new ArrayList();",
            "List r = new ArrayList(); r.add(l); return r;",
            "LinkedList r = new LinkedList(); r.offerLast(l); si = r.descendingIterator(); return r;",
            "LinkedList r = new LinkedList(); r.offerLast(l); sm = new HashMap(); sm.put(1, r); return r;",
            "List r = new ArrayList(snest); return r;",
            "Map r = new HashMap(); r.put(1, l); return new ArrayList(r.values());",
        ]);
        let cursor = self.pick(&["snest.listIterator()", "new ArrayList(snest).listIterator()"]);
        let _ = writeln!(
            self.out,
            "  static List make(List l) {{ {body} }}\n  \
             static ListIterator cursor() {{ return {cursor}; }}"
        );
    }

    /// Something about lists in other collections.
    fn nested(&mut self, l: &str, k: &str) -> String {
        let text = self.pick(&[
            "nest.add($k);",
            "nest.add($k);",
            "nest.add(new ArrayList(Arrays.asList(1)));",
            "if (nest.size() > 0) $l = (List) nest.get(0);",
            "if (nest.size() > 0) $l = (List) nest.remove(0);",
            "lists.put(R.n(2), $k);",
            "lists.put(R.n(2), $k);",
            "$l = (List) lists.get(R.n(2));",
            "$l = (List) lists.remove(R.n(2));",
            "$l = (List) lists.getOrDefault(1, $k);",
            "$l = (List) lists.computeIfAbsent(R.n(2), z -> new ArrayList());",
            "for (Object z@ : lists.values()) { R.tick(); ((List) z@).add(1); }",
            "for (Object z@ : nest) { R.tick(); for (Object y@ : (List) z@) R.tick(); }",
            "for (Object z@ : nest) { R.tick(); if (R.b()) ((List) z@).clear(); }",
            "for (Map.Entry e@ : (Set<Map.Entry>) lists.entrySet()) $l = (List) e@.getValue();",
            "for (Map.Entry e@ : (Set<Map.Entry>) lists.entrySet()) e@.setValue($k);",
            "$l = (List) new AbstractMap.SimpleEntry(1, $k).getValue();",
            "snest.addAll(nest);",
            "snest.add($k);",
            "nest = new ArrayList(snest);",
            "{ ListIterator k@ = nest.listIterator(); k@.add($k); }",
            "cursor().add($k);",
            "nest.forEach(z -> ((List) z).add(1));",
            "{ final List c@ = $k; deep.forEach(z -> ((List) z).add(c@)); }",
            "lists.replaceAll((z, y) -> nest);",
            "lists.forEach((z, y) -> sl = (List) y);",
            "{ Object[] y@ = nest.toArray(); if (y@.length > 0) $l = (List) y@[0]; }",
            "{ List y@ = Collections.unmodifiableList(nest); if (y@.size() > 0) $l = (List) y@.get(0); }",
            "nest.sort(new Q());",
            "nest.stream().forEach(z -> sl = (List) z);",
            "deep.add(nest);",
            "deep.add(lists.values());",
            "if (deep.size() > 0) ((List) deep.get(0)).add($k);",
            "for (Object z@ : deep) for (Object y@ : (Collection) z@) ((List) y@).add(1);",
            "nest = make($k);",
            "nest = make($k);",
            "if (si != null && si.hasNext()) $l = (List) si.next();",
            "if (sm != null && sm.get(1) instanceof List) ((List) sm.get(1)).add($k);",
            "for (Object z@ : $l) { R.tick(); grow($k); }",
            "for (Object z@ : $l) { R.tick(); more(); }",
            "for (Object z@ : aside) R.tick();",
            "sm = lists;",
            "m.put(1, $k);",
            "if (m.get(1) instanceof List) $l = (List) m.get(1);",
            "l1.add($k); nest = l1;",
            "nest.equals(new ArrayList(lists.values()));",
            "new HashSet(nest).add($k);",
            "if ($k instanceof ArrayList) $l = (List) ((ArrayList) $k).clone();",
            "if ($k instanceof LinkedList) $l = (List) ((LinkedList) $k).clone();",
            "nest = (List) new ArrayList(nest).clone();",
            "$l = Collections.synchronizedList($k);",
            "for (Object z@ : Collections.synchronizedList($k)) R.tick();",
            "for (Object z@ : Collections.synchronizedList($k).subList(0, 1)) R.tick();",
        ]);
        text.replace("$l", l).replace("$k", k)
    }

    /// A list whose methods do things of their own.
    fn own_list(&mut self) {
        let add = self.pick(&[
            "return super.add(x);",
            "sl = this; return super.add(x);",
            "if (R.b()) clear(); return super.add(x);",
            "Iterator k = super.iterator(); boolean b = super.add(x); if (R.b()) si = k; return b;",
        ]);
        let iterator = self.pick(&[
            "return super.iterator();",
            "return super.iterator();",
            "return new I(super.iterator());",
            "if (si == null) si = super.iterator(); return si;",
            "add(1); return super.iterator();",
            "return R.b() ? super.iterator() : only.iterator();",
        ]);
        let constructor = self.pick(&["", "L() { }", "L() { sl = this; }", "L() { add(1); }"]);
        let _ = writeln!(
            self.out,
            "  static class L extends ArrayList {{ {constructor}\n    \
             public boolean add(Object x) {{ {add} }}\n    \
             public Iterator iterator() {{ {iterator} }} }}"
        );
    }

    fn own_iterator(&mut self) {
        let next = self.pick(&[
            "return d.next();",
            "return d.next();",
            "if (R.b()) si = this; return d.next();",
            "if (d.hasNext()) return d.next(); return null;",
            "sl = new ArrayList(); return d.next();",
        ]);
        let has = self.pick(&["return d.hasNext();", "return d.hasNext();", "return R.b();"]);
        let _ = writeln!(
            self.out,
            "  static class I implements Iterator {{ Iterator d; I(Iterator d) {{ this.d = d; }}\n    \
             public boolean hasNext() {{ {has} }}\n    public Object next() {{ {next} }} }}"
        );
    }

    fn method(&mut self, method: usize) {
        let list = self.list();
        let other = self.pick(&["null", "new ArrayList()", "p", "l", "new LinkedList()"]);
        let iterator = self.pick(&["null", "q", "l0.iterator()", "l0.iterator()"]);
        let map = self.pick(&["new HashMap()", "new HashMap()", "null", "sm", "new TreeMap()"]);
        let view = self.pick(&["null", "p", "new HashSet()"]);
        let _ = writeln!(
            self.out,
            "  List m{method}(List p, Iterator q, Object w, int d) {{\n    R.tick();\n    \
             if (d == 0) return p;\n    List l0 = {list}, l1 = {other}, l2 = p;\n    \
             Iterator i0 = {iterator}, i1 = q;\n    Map m = {map}; Collection v = {view}; Object x = w;",
        );
        let count = 3 + self.random.below(10);
        self.statements(count, 2);
        let result = self.pick(&["l0", "l1", "p", "null", "sl", "new ArrayList()", "l2"]);
        let _ = writeln!(self.out, "    return {result};\n  }}");
    }

    fn list(&mut self) -> &'static str {
        self.pick(&[
            "new ArrayList()",
            "new ArrayList()",
            "new LinkedList()",
            "new L()",
            "new ArrayList(Arrays.asList(1, 2))",
        ])
    }

    fn l(&mut self) -> String {
        match self.inside {
            Inside::Method => self.pick(&["l0", "l0", "l1", "l1", "l2"]).to_owned(),
            Inside::Lambda => self.pick(&["c", "c", "sl", "l"]).to_owned(),
        }
    }

    fn i(&mut self) -> String {
        match self.inside {
            Inside::Method => self.pick(&["i0", "i0", "i1"]).to_owned(),
            Inside::Lambda => self.pick(&["j", "j", "si", "i"]).to_owned(),
        }
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn line(&mut self, text: &str) {
        // Variables of loops and handlers that are in each other are told apart.
        let text = text.replace('@', &self.fresh.to_string());
        self.fresh += 1;
        let _ = writeln!(self.out, "    {text}");
    }

    /// Whether something happens at all: makes joins.
    fn perhaps(&mut self, text: &str) {
        match self.random.below(4) {
            0 => self.line(&format!("if (R.b()) {{ {text} }}")),
            _ => self.line(text),
        }
    }

    fn statement(&mut self, depth: usize) {
        let (l, k, i) = (self.l(), self.l(), self.i());
        if self.inside == Inside::Lambda {
            let text = match self.random.below(9) {
                0 | 1 => format!("{l}.add(R.o());"),
                2 => format!("si = {l}.iterator();"),
                3 => format!("{i}.next();"),
                4 => format!("if ({i}.hasNext()) {i}.next();"),
                5 => "sl = c;".to_owned(),
                6 => "si = j;".to_owned(),
                7 => format!("for (Object z@ : {l}) R.tick();"),
                _ => format!("{l}.clear();"),
            };
            return self.perhaps(&text);
        }
        if !self.reflects.is_empty() && self.random.chance(15) {
            let way = self.reflects[self.random.below(self.reflects.len())];
            let text = self.pick(REFLECTION[way].1);
            let text = text.replace("$l", &l).replace("$k", &k).replace("$i", &i);
            return self.perhaps(&text.replace("$P", &self.name));
        }
        match self.random.below(60) {
            0..=2 => {
                let new = self.list();
                self.perhaps(&format!("{l} = {new};"));
            }
            3 | 4 => self.perhaps(&format!("{l} = {k};")),
            5..=8 => self.perhaps(&format!("{i} = {l}.iterator();")),
            9..=13 => {
                let how = self.pick(&["add(R.o())", "add(R.o())", "remove(R.o())", "clear()"]);
                self.perhaps(&format!("{l}.{how};"));
            }
            14..=16 => self.perhaps(&format!("{i}.next();")),
            17 => self.perhaps(&format!("if ({i}.hasNext()) x = {i}.next();")),
            18 => {
                let new = self.list();
                self.line(&format!("{l} = R.b() ? {k} : {new};"));
            }
            19 => self.line(&format!("{i} = R.b() ? {l}.iterator() : null;")),
            20 => {
                let to = self.pick(&["this.l", "sl", "a[0]", "late"]);
                self.perhaps(&format!("{to} = {l};"));
            }
            21 => {
                let from = self.pick(&["this.l", "sl", "a[0]", "late", "own"]);
                self.perhaps(&format!("{l} = {from};"));
            }
            22 => {
                let text =
                    self.pick(&["si = i0;", "this.i = i0;", "i0 = si;", "i1 = this.i;", "o = i1;"]);
                self.perhaps(text);
            }
            23 => self.perhaps(&format!("reg.add({l});")),
            24 => self.perhaps(&format!("if (reg.size() > 0) {l} = (List) reg.get(0);")),
            25..=27 => {
                let method = self.random.below(self.methods);
                let (w, to) = (self.pick(&["null", "x", "l0", "i0"]), self.random.chance(50));
                let call = format!("m{method}({k}, {i}, {w}, d - 1);");
                self.perhaps(&if to { format!("{l} = {call}") } else { call });
            }
            28 => {
                let text = self.pick(&[
                    "((List) x).add(1);",
                    "((Iterator) x).next();",
                    "x = l0;",
                    "x = i0;",
                    "only.add(R.o());",
                    "for (Object z@ : only) R.tick();",
                    "own.add(R.o());",
                    "for (Object z@ : own) R.tick();",
                    "own.clear();",
                    "if (late == null) late = new ArrayList(); late.add(1);",
                ]);
                self.perhaps(text);
            }
            29 => {
                let text = self.pick(&[
                    "m.put(R.o(), 1);",
                    "v = m.keySet();",
                    "v = m.values();",
                    "i0 = v.iterator();",
                    "i0 = m.keySet().iterator();",
                    "for (Object z@ : m.values()) { R.tick(); if (R.b()) break; }",
                    "sm = m;",
                    "m = new HashMap(m);",
                    "m = sm;",
                    "v.add(1);",
                ]);
                self.perhaps(text);
            }
            30 => self.line(&format!("x = \"\" + {l};")),
            31 => self.perhaps(&format!("{l} = Collections.unmodifiableList({k});")),
            32 => self.perhaps(&format!("{l}.addAll({k});")),
            33 => self.line(&format!("if (R.n(4) == 0) return {l};")),
            34 => self.line(&format!("if (R.n(4) == 0) throw new E({l});")),
            35 if depth > 0 => {
                self.line(&format!("for (Object z@ : {l}) {{ R.tick();"));
                let count = 1 + self.random.below(3);
                self.statements(count, depth - 1);
                self.line("}");
            }
            36 | 37 if depth > 0 => {
                let head = self.pick(&[
                    "for (int n@ = 0; n@ < 2; n@++) {",
                    "while (i0.hasNext()) { R.tick(); x = i0.next();",
                    "while (R.b()) { R.tick();",
                    "do { R.tick();",
                ]);
                self.line(head);
                let count = 1 + self.random.below(4);
                self.statements(count, depth - 1);
                self.line(if head.starts_with("do") { "} while (R.b());" } else { "}" });
            }
            38 | 39 if depth > 0 => {
                self.line("if (R.b()) {");
                let count = 1 + self.random.below(3);
                self.statements(count, depth - 1);
                self.line("} else {");
                let count = self.random.below(3);
                self.statements(count, depth - 1);
                self.line("}");
            }
            40..=42 if depth > 0 => {
                self.line("try {");
                let count = 1 + self.random.below(4);
                self.statements(count, depth - 1);
                let end = self.pick(&[
                    "} catch (E e@) { l0 = e@.l;",
                    "} catch (RuntimeException e@) {",
                    "} catch (RuntimeException e@) { x = e@;",
                    "} finally {",
                ]);
                self.line(end);
                let count = self.random.below(3);
                self.statements(count, depth - 1);
                self.line("}");
            }
            43 if depth > 0 => {
                self.line(&format!("synchronized (reg) {{ {l}.add(1);"));
                self.statements(1, depth - 1);
                self.line("}");
            }
            44..=46 => {
                self.fresh += 1;
                let n = self.fresh;
                let head = self.pick(&[
                    "Runnable r# = () -> {",
                    "F r# = z -> {",
                    "Thread r# = new Thread(() -> { try {",
                ]);
                let head = head.replace('#', &n.to_string());
                self.line(&format!("{{ final List c = {l}; final Iterator j = {i};"));
                self.line(&head);
                self.inside = Inside::Lambda;
                let count = 1 + self.random.below(3);
                self.statements(count, 0);
                self.inside = Inside::Method;
                let end = if head.starts_with("Runnable") {
                    let use_ = self.pick(&[
                        "# .run();",
                        "sr = #;",
                        "R.start(#);",
                        "Optional.of(#).ifPresent(Runnable::run);",
                        "sr = #; sr.run();",
                        "",
                    ]);
                    format!("}}; {}", use_.replace('#', &format!("r{n}")))
                } else if head.starts_with('F') {
                    format!("return c; }}; {k} = r{n}.f({l});")
                } else {
                    let use_ = self.pick(&[
                        "#.start(); try { #.join(); } catch (InterruptedException e@) { }",
                        "R.threads.add(#); #.start();",
                        "#.run();",
                    ]);
                    let use_ = use_.replace('#', &format!("r{n}"));
                    format!("}} catch (RuntimeException e@) {{ }} }}); {use_}")
                };
                self.line(&end);
                self.line("}");
            }
            47 => {
                let text = self.pick(&[
                    "{ final List c = l0; Runnable r = c::clear; r.run(); }",
                    "{ final List c = l0; Runnable r = c::clear; sr = r; }",
                    "if (sr != null) sr.run();",
                    "l0.forEach(z -> R.tick());",
                    "{ Supplier<List> s = ArrayList::new; l1 = s.get(); }",
                    "{ final List c = l1; l0.forEach(z -> c.add(z)); }",
                    "i0 = new I(l0.iterator());",
                    "Objects.equals(new Q(), l0);",
                    "reg.add(new Q()); reg.contains(l1);",
                    "new TreeSet(new Q()).add(l0);",
                    "new TreeSet(new Q()).contains(l1);",
                    "l0.removeIf(z -> R.b());",
                ]);
                self.perhaps(text);
            }
            48.. => {
                let text = self.nested(&l, &k);
                self.perhaps(&text);
            }
            _ => self.perhaps(&format!("{l}.add(R.o());")),
        }
    }
}
