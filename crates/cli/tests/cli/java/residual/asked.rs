//! Directed programs of one thread: the JDK runs a method of the program between two uses of an iterator.
//!
//! Every program combines a *mechanism* (how a call of the JDK comes to run the method) and a *place*
//! (where the list is that the method changes). The program is violated only because the method runs, so
//! an analysis that overlooks the mechanism loses the report.

/// Where the list is: members of the class, and the list.
const PLACES: [(&str, &str, &str); 3] = [
    ("a static field", "static List list;", "list"),
    ("a field of an object", "private List list; static final $A it = new $A();", "it.list"),
    ("an array", "static final List[] lists = new List[1];", "lists[0]"),
];

/// How many programs there are.
pub fn count() -> usize {
    MECHANISMS.len() * PLACES.len()
}

fn parts(
    number: usize,
) -> (&'static Mechanism, &'static (&'static str, &'static str, &'static str)) {
    (&MECHANISMS[number % MECHANISMS.len()], &PLACES[number / MECHANISMS.len()])
}

/// What a program is about.
pub fn title(number: usize) -> String {
    let (mechanism, place) = parts(number);
    format!("A{number}: {} changes a list in {}", mechanism.0, place.0)
}

/// The program of a number: a class `A` with that number.
pub fn program(number: usize) -> String {
    let ((_, members, before, body), (_, declared, list)) = parts(number);
    let text = format!(
        "class $A {{\n  {declared} static Object held, other;\n  \
         static void hit() {{ {list}.add(\"new\"); }}\n  {members}\n  \
         static void prepare() throws Throwable {{ {before} }}\n  \
         static void start() throws Throwable {{\n    \
         {list} = new ArrayList(); {list}.add(\"a\"); prepare();\n    \
         {list} = new ArrayList(); {list}.add(\"a\"); {list}.add(\"b\");\n    \
         Iterator i = {list}.iterator(); i.hasNext();\n    \
         try {{ {body} }} finally {{ i.next(); }}\n  }}\n}}\n",
    );
    text.replace("$A", &format!("A{number}"))
}

/// Name, members of the class, statements before the iterator is made, and statements that make the JDK
/// call `hit`.
type Mechanism = (&'static str, &'static str, &'static str, &'static str);

const MECHANISMS: &[Mechanism] = &[
    (
        "an exception of SQL that is logged",
        "static class W extends Writer { public void write(char[] c,int o,int n){hit();} public void flush(){} public void close(){} }",
        "java.sql.DriverManager.setLogWriter(new PrintWriter(new W(), true));",
        "new java.sql.SQLException(\"a\",\"b\");",
    ),
    (
        "a decoder",
        "static class C extends java.nio.charset.CharsetDecoder { C(){super(java.nio.charset.StandardCharsets.UTF_8,1,1);} protected java.nio.charset.CoderResult decodeLoop(java.nio.ByteBuffer a, java.nio.CharBuffer b){ hit(); while(a.hasRemaining()) b.put((char)a.get()); return java.nio.charset.CoderResult.UNDERFLOW; } }",
        "held = new InputStreamReader(new ByteArrayInputStream(new byte[3]), new C());",
        "((Reader) held).read();",
    ),
    (
        "a time that is formatted",
        "static class T implements java.time.temporal.TemporalAccessor { public boolean isSupported(java.time.temporal.TemporalField f){ return true; } public long getLong(java.time.temporal.TemporalField f){ hit(); return 1; } }",
        "held = new T();",
        "String.format(\"%tY\", held);",
    ),
    (
        "a number that is formatted",
        "static class N extends java.math.BigInteger { N(){super(\"12\");} public int signum(){hit();return 1;} }",
        "held = new N();",
        "String.format(\"%d\", held);",
    ),
    (
        "a decimal number that is formatted",
        "static class N extends java.math.BigDecimal { N(){super(\"12\");} public int scale(){hit();return 0;} }",
        "held = new N();",
        "String.format(\"%f\", held);",
    ),
    (
        "a delay",
        "static class K implements Delayed { public long getDelay(TimeUnit u){ hit(); return 0; } public int compareTo(Delayed o){ return 0; } }",
        "DelayQueue q = new DelayQueue(); q.add(new K()); held = q;",
        "((Queue) held).poll();",
    ),
    (
        "a lazy default",
        "",
        "javax.swing.UIDefaults d = new javax.swing.UIDefaults(); d.put(\"k\", (javax.swing.UIDefaults.LazyValue) t -> { hit(); return 1; }); held = d;",
        "((Map) held).get(\"k\");",
    ),
    (
        "a hint for rendering",
        "static class K extends java.awt.RenderingHints.Key { K(){super(77);} public boolean isCompatibleValue(Object o){ hit(); return true; } }",
        "K k = new K(); held = new java.awt.RenderingHints(null); other = k;",
        "((Map) held).put(other, \"x\");",
    ),
    (
        "a context of beans",
        "",
        "var b = new java.beans.beancontext.BeanContextSupport(); b.addBeanContextMembershipListener(new java.beans.beancontext.BeanContextMembershipListener(){ public void childrenAdded(java.beans.beancontext.BeanContextMembershipEvent e){hit();} public void childrenRemoved(java.beans.beancontext.BeanContextMembershipEvent e){} }); held = b;",
        "((Collection) held).add(\"x\");",
    ),
    (
        "a filter of a directory",
        "",
        "held = java.nio.file.Files.newDirectoryStream(java.nio.file.Path.of(\"/\"), p -> { hit(); return true; });",
        "Iterator k = ((Iterable) held).iterator(); k.hasNext();",
    ),
    (
        "a scanner",
        "static class R extends Reader { int n; public int read(char[] c,int o,int l){ hit(); if (n++>1) return -1; c[o]='x'; c[o+1]=' '; return 2; } public void close(){} }",
        "held = new Scanner(new R());",
        "((Iterator) held).next();",
    ),
    (
        "a scanner of a Readable",
        "static class R implements Readable { int n; public int read(java.nio.CharBuffer c){ hit(); if (n++>1) return -1; c.put(\"x \"); return 2; } }",
        "held = new Scanner(new R());",
        "((Iterator) held).next();",
    ),
    (
        "exceptions of SQL in a row",
        "static class X extends java.sql.SQLException { public synchronized Throwable getCause(){ hit(); return null; } }",
        "held = new X();",
        "((Iterable) held).iterator().next();",
    ),
    (
        "exceptions of SQL, the next",
        "static class X extends java.sql.SQLException { public java.sql.SQLException getNextException(){ hit(); return null; } }",
        "held = new X();",
        "((Iterable) held).iterator();",
    ),
    (
        "a buffer of a text",
        "static class T implements CharSequence { public int length(){return 3;} public char charAt(int i){return 'x';} public CharSequence subSequence(int a,int b){ hit(); return \"x\"; } public String toString(){return \"xxx\";} }",
        "held = java.nio.CharBuffer.wrap(new T());",
        "String.valueOf(held);",
    ),
    (
        "a buffer of a text that is compared",
        "static class T implements CharSequence { public int length(){return 3;} public char charAt(int i){hit(); return 'x';} public CharSequence subSequence(int a,int b){ return \"x\"; } public String toString(){return \"xxx\";} }",
        "held = java.nio.CharBuffer.wrap(new T());",
        "held.hashCode();",
    ),
    (
        "a handler of addresses",
        "static class H extends java.net.URLStreamHandler { protected java.net.URLConnection openConnection(java.net.URL u){return null;} protected String toExternalForm(java.net.URL u){ hit(); return \"x\"; } }",
        "held = new java.net.URL(null, \"x:y\", new H());",
        "String.valueOf(held);",
    ),
    (
        "a date",
        "static class T extends Date { public long getTime(){ hit(); return 1; } }",
        "held = new T();",
        "new HashSet().add(held);",
    ),
    (
        "a calendar",
        "static class T extends GregorianCalendar { protected void computeTime(){ hit(); super.computeTime(); } }",
        "T t = new T(); t.clear(); t.set(2000,1,1); held = t;",
        "held.hashCode();",
    ),
    (
        "a zone of times",
        "static class Z extends TimeZone { public int getOffset(int a,int b,int c,int d,int e,int f){hit();return 0;} public void setRawOffset(int o){} public int getRawOffset(){hit();return 0;} public boolean useDaylightTime(){return false;} public boolean inDaylightTime(Date d){return false;} public int getOffset(long d){ hit(); return 0;} }",
        "TimeZone before = TimeZone.getDefault(); TimeZone.setDefault(new Z()); held = new Date();",
        "try { String.valueOf(held); } finally { TimeZone.setDefault(null); }",
    ),
    (
        "a certificate",
        "static class C extends java.security.cert.Certificate { C(){super(\"x\");} public byte[] getEncoded(){hit(); return new byte[1];} public void verify(java.security.PublicKey k){} public void verify(java.security.PublicKey k,String p){} public String toString(){return \"\";} public java.security.PublicKey getPublicKey(){return null;} }",
        "held = new C();",
        "held.hashCode();",
    ),
    (
        "an annotation of the program",
        "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface A { int value(); } @A(3) static class K { } static class B implements A { public int value(){hit();return 3;} public Class annotationType(){return A.class;} }",
        "held = K.class.getAnnotation(A.class); other = new B();",
        "held.equals(other);",
    ),
    (
        "equals of sorted sets",
        "static class C implements Comparator { public int compare(Object a,Object b){ hit(); return 0; } }",
        "TreeSet a = new TreeSet(new C()), b = new TreeSet(new C()); a.add(1); b.add(1); held = a; other = b;",
        "held.equals(other);",
    ),
    (
        "equals of sorted maps by Objects",
        "static class C implements Comparator { public int compare(Object a,Object b){ hit(); return 0; } }",
        "TreeMap a = new TreeMap(new C()), b = new TreeMap(new C()); a.put(1,1); b.put(1,1); held = a; other = b;",
        "Objects.equals(held, other);",
    ),
    (
        "contains of sorted sets",
        "static class C implements Comparator { public int compare(Object a,Object b){ hit(); return 0; } }",
        "TreeSet a = new TreeSet(new C()), b = new TreeSet(new C()); a.add(1); b.add(1); held = new ArrayList(List.of(a)); other = b;",
        "((ArrayList) held).contains(other);",
    ),
    (
        "removal of sorted sets",
        "static class C implements Comparator { public int compare(Object a,Object b){ hit(); return 0; } }",
        "TreeSet a = new TreeSet(new C()), b = new TreeSet(new C()); a.add(1); b.add(1); held = new HashMap(Map.of(1,a)); other = b;",
        "((HashMap) held).containsValue(other);",
    ),
    (
        "equals of entries of sorted sets",
        "static class C implements Comparator { public int compare(Object a,Object b){ hit(); return 0; } }",
        "TreeSet a = new TreeSet(new C()), b = new TreeSet(new C()); a.add(1); b.add(1); held = Map.entry(1,a); other = Map.entry(1,b);",
        "held.equals(other);",
    ),
    (
        "equals of optional sorted sets",
        "static class C implements Comparator { public int compare(Object a,Object b){ hit(); return 0; } }",
        "TreeSet a = new TreeSet(new C()), b = new TreeSet(new C()); a.add(1); b.add(1); held = Optional.of(a); other = Optional.of(b);",
        "((Optional) held).equals(other);",
    ),
    (
        "a date with a comparator",
        "static class T extends Date { public long getTime(){ hit(); return 1; } }",
        "held = new T(); other = new Date();",
        "other.equals(held);",
    ),
    (
        "an exception with a message",
        "static class X extends RuntimeException { public String getMessage(){ hit(); return \"\"; } }",
        "held = new X();",
        "String s = \"\" + held;",
    ),
    (
        "a permission",
        "static class P extends java.security.BasicPermission { P(){super(\"x\");} public String getActions(){hit();return \"\";} }",
        "held = new P();",
        "String.valueOf(held);",
    ),
    (
        "an address for a reference",
        "static class R extends javax.naming.RefAddr { R(){super(\"t\");} public Object getContent(){hit();return 1;} }",
        "held = new R();",
        "held.hashCode();",
    ),
    (
        "a thread of the program",
        "static class T extends Thread { public void run(){hit();} }",
        "held = new T();",
        "((Runnable) held).run();",
    ),
    (
        "the text of a path of trees",
        "static class T extends javax.swing.tree.TreePath { T(){super(\"a\");} public int getPathCount(){ hit(); return 1; } public Object getPathComponent(int i){hit();return \"\";} }",
        "held = new T();",
        "String.valueOf(held);",
    ),
    (
        "a printer of an exception",
        "static class W extends Writer { public void write(char[] c,int o,int n){hit();} public void flush(){} public void close(){} }",
        "held = new PrintWriter(new W(), true);",
        "new Exception().printStackTrace((PrintWriter) held);",
    ),
    (
        "an initialiser by reflection",
        "static class K { static { hit(); } }",
        "",
        "Class.forName(\"$A$K\");",
    ),
    (
        "an initialiser by a constant",
        "static class K { static { hit(); } static int n; }",
        "",
        "int n = K.n;",
    ),
    (
        "an initialiser by an enum",
        "enum K { ONE; static { hit(); } }",
        "",
        "Enum.valueOf((Class) K.class, \"ONE\");",
    ),
    (
        "a template for records",
        "static class K { public int hashCode(){hit();return 1;} } record R(K k) {}",
        "held = new R(new K());",
        "held.hashCode();",
    ),
    ("a reduction", "", "", "Optional.of(1).map(x -> { hit(); return x; });"),
    (
        "a piped writer",
        "static class W extends FilterWriter { W(Writer w){super(w);} public void flush() throws IOException {hit();} }",
        "held = new BufferedWriter(new W(new StringWriter()));",
        "((Writer) held).flush();",
    ),
    (
        "default properties",
        "static class P extends Properties { public String getProperty(String k){ hit(); return null; } }",
        "held = new Properties(new P());",
        "((Properties) held).getProperty(\"x\");",
    ),
    (
        "system properties",
        "static class P extends Properties { public String getProperty(String k){ hit(); return super.getProperty(k); } }",
        "P p = new P(); p.putAll(System.getProperties()); held = System.getProperties(); System.setProperties(p);",
        "try { Integer.getInteger(\"xx\"); } finally { System.setProperties((Properties) held); }",
    ),
    (
        "a boolean of the system",
        "static class P extends Properties { public String getProperty(String k){ hit(); return super.getProperty(k); } }",
        "P p = new P(); p.putAll(System.getProperties()); held = System.getProperties(); System.setProperties(p);",
        "try { Boolean.getBoolean(\"xx\"); } finally { System.setProperties((Properties) held); }",
    ),
    (
        "an interned switch",
        "static class K { public String toString(){hit();return \"a\";} }",
        "held = new K();",
        "switch (held.toString()) { case \"a\": break; default: }",
    ),
    (
        "a text that is appended",
        "static class T implements CharSequence { public int length(){hit();return 1;} public char charAt(int i){return 'x';} public CharSequence subSequence(int a,int b){ return \"x\"; } }",
        "held = new T();",
        "new StringBuilder().append((CharSequence) held);",
    ),
    (
        "a text that is matched",
        "static class T implements CharSequence { public int length(){return 1;} public char charAt(int i){hit();return 'x';} public CharSequence subSequence(int a,int b){ return \"x\"; } public String toString(){return \"x\";} }",
        "held = java.util.regex.Pattern.compile(\"x\").matcher(new T());",
        "((java.util.regex.Matcher) held).find();",
    ),
    (
        "a replacement",
        "",
        "held = java.util.regex.Pattern.compile(\"x\").matcher(\"xx\");",
        "((java.util.regex.Matcher) held).replaceAll(r -> { hit(); return \"\"; });",
    ),
    (
        "results of a matcher",
        "",
        "held = java.util.regex.Pattern.compile(\"x\").matcher(\"xx\");",
        "((java.util.regex.Matcher) held).results().forEach(r -> hit());",
    ),
    (
        "a stream of an array",
        "",
        "held = Arrays.asList(1,2).stream().peek(x -> hit()).iterator();",
        "((Iterator) held).next();",
    ),
    (
        "an iterator of a supplier",
        "",
        "held = Stream.generate(() -> { hit(); return 1; }).iterator();",
        "((Iterator) held).next();",
    ),
    (
        "a wrapped enumeration",
        "static class N implements Enumeration { public boolean hasMoreElements(){ hit(); return true; } public Object nextElement(){ return 1; } }",
        "held = new N().asIterator();",
        "((Iterator) held).hasNext();",
    ),
    (
        "a sorted part",
        "static class C implements Comparator { public int compare(Object a,Object b){ if (on) hit(); return ((Integer) a) - (Integer) b; } static boolean on; }",
        "TreeMap t = new TreeMap(new C()); t.put(1,1); t.put(2,2); held = t.headMap(2); C.on = true;",
        "((Map) held).size(); C.on = false;",
    ),
    (
        "a sorted part asked for emptiness",
        "static class C implements Comparator { public int compare(Object a,Object b){ if (on) hit(); return ((Integer) a) - (Integer) b; } static boolean on; }",
        "TreeMap t = new TreeMap(new C()); t.put(1,1); t.put(2,2); held = t.tailMap(2).keySet(); C.on = true;",
        "((Set) held).isEmpty(); C.on = false;",
    ),
    (
        "a concurrent part",
        "static class C implements Comparator { public int compare(Object a,Object b){ if (on) hit(); return ((Integer) a) - (Integer) b; } static boolean on; }",
        "var t = new ConcurrentSkipListSet(new C()); t.add(1); t.add(2); held = t.headSet(2).iterator(); C.on = true;",
        "((Iterator) held).next(); C.on = false;",
    ),
    (
        "the first of a priority queue",
        "static class K implements Comparable { public int compareTo(Object o){ hit(); return 0; } }",
        "var q = new PriorityQueue(); q.add(new K()); q.add(new K()); q.add(new K()); held = q;",
        "((Queue) held).poll();",
    ),
    (
        "an iterator that removes",
        "static class K implements Comparable { public int compareTo(Object o){ hit(); return 0; } }",
        "var q = new PriorityQueue(); for (int n = 0; n < 9; n++) q.add(new K()); Iterator k = q.iterator(); k.next(); held = k;",
        "((Iterator) held).remove();",
    ),
    (
        "an iterator that removes from a concurrent map",
        "static class K { public int hashCode(){hit();return 1;} }",
        "var q = new ConcurrentHashMap(); q.put(new K(), 1); Iterator k = q.keySet().iterator(); k.next(); held = k;",
        "((Iterator) held).remove();",
    ),
    (
        "an iterator of entries that sets",
        "static class K { public int hashCode(){hit();return 1;} }",
        "var q = new ConcurrentHashMap(); q.put(new K(), 1); held = q.entrySet().iterator().next();",
        "((Map.Entry) held).setValue(2);",
    ),
    (
        "an entry of a map that is linked",
        "static class L extends LinkedHashMap { protected boolean removeEldestEntry(Map.Entry e){hit();return false;} }",
        "held = new L();",
        "((Map) held).put(1,1);",
    ),
    (
        "a weak map",
        "static class K { public boolean equals(Object o){hit();return false;} public int hashCode(){return 1;} }",
        "Map q = new WeakHashMap(); q.put(new K(), 1); held = q; other = new K();",
        "((Map) held).get(other);",
    ),
    (
        "a set from a map",
        "static class A extends HashMap { public Set keySet(){hit();return super.keySet();} public int size(){hit();return 0;} }",
        "held = Collections.newSetFromMap(new A());",
        "((Collection) held).size();",
    ),
    (
        "a list that is checked",
        "static class A extends ArrayList { public int size(){hit();return 0;} }",
        "held = Collections.checkedList(new A(), Object.class);",
        "((List) held).size();",
    ),
    (
        "a cleared context of beans",
        "",
        "var b = new java.beans.beancontext.BeanContextSupport(); b.add(\"x\"); b.addBeanContextMembershipListener(new java.beans.beancontext.BeanContextMembershipListener(){ public void childrenAdded(java.beans.beancontext.BeanContextMembershipEvent e){} public void childrenRemoved(java.beans.beancontext.BeanContextMembershipEvent e){hit();} }); held = b;",
        "((Collection) held).remove(\"x\");",
    ),
    (
        "data in a table",
        "",
        "var t = new javax.management.openmbean.CompositeType(\"t\",\"t\",new String[]{\"k\"},new String[]{\"k\"},new javax.management.openmbean.OpenType[]{javax.management.openmbean.SimpleType.INTEGER}); var d = new javax.management.openmbean.CompositeDataSupport(t, new String[]{\"k\"}, new Object[]{1}) { public Object[] getAll(String[] k){hit();return super.getAll(k);} }; held = new javax.management.openmbean.TabularDataSupport(new javax.management.openmbean.TabularType(\"x\",\"x\",t,new String[]{\"k\"})); other = d;",
        "((Map) held).put(null, other);",
    ),
    (
        "a stack of undoable edits",
        "static class K { public String toString(){hit();return \"\";} }",
        "held = new Vector(List.of(new K()));",
        "String.valueOf(held);",
    ),
    (
        "a random source",
        "static class R extends Random { protected int next(int n){hit();return 0;} }",
        "held = new R();",
        "Collections.shuffle(new ArrayList(List.of(1,2,3)), (Random) held);",
    ),
    (
        "a biginteger of a random source",
        "static class R extends Random { protected int next(int n){hit();return 0;} public void nextBytes(byte[] b){hit();} }",
        "held = new R();",
        "new java.math.BigInteger(9, (Random) held);",
    ),
    (
        "a finished buffered stream",
        "static class S extends ByteArrayInputStream { S(){super(new byte[3]);} public int available(){hit();return 0;} }",
        "held = new BufferedInputStream(new S());",
        "((InputStream) held).available();",
    ),
    (
        "an object that is written",
        "static class K implements Serializable { private void writeObject(ObjectOutputStream o){hit();} }",
        "held = new ObjectOutputStream(new ByteArrayOutputStream()); other = new K();",
        "((ObjectOutput) held).writeObject(other);",
    ),
    (
        "a bound for sizes",
        "static class A extends AbstractList { public int size(){hit();return 0;} public Object get(int n){return null;} }",
        "held = Arrays.asList(new A());",
        "held.hashCode();",
    ),
    (
        "a close of a resource",
        "static class R implements AutoCloseable { public void close(){hit();} }",
        "",
        "try (R r = new R()) { }",
    ),
    (
        "a locale of a format",
        "static class K implements Formattable { public void formatTo(Formatter f,int a,int b,int c){hit();} }",
        "held = new K();",
        "System.out.printf(\"%s\", held);",
    ),
    (
        "the cause of an exception",
        "static class X extends Exception { public synchronized Throwable initCause(Throwable t){hit();return this;} }",
        "held = new X();",
        "((Throwable) held).initCause(null);",
    ),
    (
        "an exception that is stored",
        "static class X extends Exception { public void setStackTrace(StackTraceElement[] s){hit();} }",
        "held = new X();",
        "((Throwable) held).setStackTrace(new StackTraceElement[0]);",
    ),
    (
        "an uncaught exception",
        "static class X extends RuntimeException { public void printStackTrace(){hit();} }",
        "held = new X();",
        "((Throwable) held).printStackTrace();",
    ),
    (
        "an assertion",
        "static class K { public String toString(){hit();return \"\";} }",
        "held = new K();",
        "new AssertionError(held);",
    ),
    (
        "a soft map",
        "static class K { public boolean equals(Object o){hit();return true;} }",
        "held = new AtomicReference(new K());",
        "((AtomicReference) held).toString().equals(new K()); new K().equals(1);",
    ),
    (
        "an identity of references",
        "static class R extends WeakReference { R(){super(\"x\");} public Object get(){hit();return 1;} }",
        "held = new R();",
        "((Reference) held).get();",
    ),
    (
        "a class of an interface",
        "interface I { int N = run(); static int run(){hit();return 1;} default void d(){} } static class K implements I {}",
        "",
        "new K();",
    ),
    (
        "a checksum",
        "static class C implements java.util.zip.Checksum { public void update(int b){hit();} public void update(byte[] b,int o,int n){hit();} public long getValue(){return 0;} public void reset(){} }",
        "held = new java.util.zip.CheckedInputStream(new ByteArrayInputStream(new byte[3]), new C());",
        "((InputStream) held).read();",
    ),
    (
        "a printed exception",
        "static class X extends Exception { public void printStackTrace(PrintStream s){hit();} }",
        "held = new X();",
        "((Throwable) held).printStackTrace();",
    ),
    (
        "an integer of the system",
        "static class P extends Properties { public String getProperty(String k){ if (on) hit(); return super.getProperty(k); } static boolean on; }",
        "P p = new P(); p.putAll(System.getProperties()); System.setProperties(p); P.on = true;",
        "Integer.getInteger(\"xx\"); P.on = false;",
    ),
    (
        "the text of a part",
        "static class C implements Comparator { public int compare(Object a,Object b){ if (on) hit(); return ((Integer) a) - (Integer) b; } static boolean on; }",
        "TreeMap t = new TreeMap(new C()); t.put(1,1); t.put(2,2); held = t.headMap(2); C.on = true;",
        "String.valueOf(held); C.on = false;",
    ),
    (
        "a loader of classes",
        "static class L extends ClassLoader { L(){super($A.class.getClassLoader());} protected Class loadClass(String n, boolean r) throws ClassNotFoundException { if (n.endsWith(\"$K\")) hit(); if (n.endsWith(\"$R\") || n.endsWith(\"$K\")) { try (var in = $A.class.getResourceAsStream(\"/\" + n.replace('.', '/') + \".class\")) { byte[] b = in.readAllBytes(); return defineClass(n, b, 0, b.length); } catch (IOException e) { throw new Error(e); } } return super.loadClass(n, r); } } public static class K { } public static class R implements Runnable { public void run() { new K(); } }",
        "held = new L().loadClass(\"$A$R\").getDeclaredConstructor().newInstance();",
        "((Runnable) held).run();",
    ),
    (
        "a stream of a channel",
        "static class C implements java.nio.channels.ReadableByteChannel { public int read(java.nio.ByteBuffer b){hit();return -1;} public boolean isOpen(){return true;} public void close(){} }",
        "held = java.nio.channels.Channels.newInputStream(new C());",
        "((InputStream) held).read();",
    ),
    (
        "a digest",
        "static class C extends java.security.MessageDigest { C(){super(\"x\");} protected void engineUpdate(byte b){hit();} protected void engineUpdate(byte[] b,int o,int n){hit();} protected byte[] engineDigest(){return null;} protected void engineReset(){} }",
        "held = new java.security.DigestOutputStream(new ByteArrayOutputStream(), new C());",
        "((OutputStream) held).write(1);",
    ),
    (
        "a row of delays",
        "static class K implements Delayed { public long getDelay(TimeUnit u){ hit(); return 0; } public int compareTo(Delayed o){ return 0; } }",
        "DelayQueue q = new DelayQueue(); q.add(new K()); held = q;",
        "((Collection) held).remove(1); ((BlockingQueue) held).poll();",
    ),
    (
        "a text of a number",
        "static class N extends Number { public int intValue(){hit();return 1;} public long longValue(){return 1;} public float floatValue(){return 1;} public double doubleValue(){return 1;} }",
        "held = new N();",
        "((Number) held).byteValue();",
    ),
    // A JVM keeps the first of these for good, which then runs what is registered.
    (
        "a maker of handlers of addresses",
        "static class F implements java.net.URLStreamHandlerFactory { public java.net.URLStreamHandler createURLStreamHandler(String p) { if (p.equals(\"own\")) ((Runnable) System.getProperties().get(\"hit\")).run(); return null; } }",
        "System.getProperties().put(\"hit\", (Runnable) () -> hit()); try { java.net.URL.setURLStreamHandlerFactory(new F()); } catch (Error e) { }",
        "try { java.net.URI.create(\"own:x\").toURL(); } catch (java.net.MalformedURLException e) { }",
    ),
    (
        "a source of random names",
        "public static class S extends java.security.SecureRandomSpi { protected void engineSetSeed(byte[] b) { } protected void engineNextBytes(byte[] b) { Object o = System.getProperties().get(\"hit\"); if (o != null) ((Runnable) o).run(); } protected byte[] engineGenerateSeed(int n) { return new byte[n]; } } static class P extends java.security.Provider { P() { super(\"Own\", \"1\", \"\"); put(\"SecureRandom.Own\", \"$A$S\"); } }",
        "System.getProperties().remove(\"hit\"); java.security.Security.insertProviderAt(new P(), 1); UUID.randomUUID(); java.security.Security.removeProvider(\"Own\"); System.getProperties().put(\"hit\", (Runnable) () -> hit());",
        "UUID.randomUUID();",
    ),
    (
        "a function that a comparator of the program goes on with",
        "static class C implements Comparator { public int compare(Object p, Object q) { return 0; } }",
        "held = new C().thenComparing(x -> { hit(); return 1; });",
        "TreeSet s = new TreeSet((Comparator) held); s.add(1); s.add(2);",
    ),
];
