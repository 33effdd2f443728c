//! Mechanisms of interfaces that no instruction names, of handles that the JDK calls with what it was
//! lent, of objects that classes of the JDK keep by themselves, and of handlers of its libraries.

use super::Mechanism;

/// See the module.
pub const MECHANISMS: &[Mechanism] = &[
    (
        "a comparator behind a handle",
        "static int cmp(Object a, Object b) { seen(a); return 0; }",
        "List b = new ArrayList(); b.add(h); b.add(h); b.sort((Comparator) MethodHandleProxies.asInterfaceInstance(Comparator.class, MethodHandles.lookup().findStatic($D.class, \"cmp\", MethodType.methodType(int.class, Object.class, Object.class))));",
    ),
    (
        "a comparator that is made by hand",
        "static int cmp(Object a, Object b) { seen(a); return 0; }",
        "var l3 = MethodHandles.lookup(); var t = MethodType.methodType(int.class, Object.class, Object.class); var s = LambdaMetafactory.metafactory(l3, \"compare\", MethodType.methodType(Comparator.class), t, l3.findStatic($D.class, \"cmp\", t), t); List b = new ArrayList(); b.add(h); b.add(h); b.sort((Comparator) s.getTarget().invoke());",
    ),
    (
        "a function that is made by hand",
        "",
        "var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); var s = LambdaMetafactory.metafactory(l3, \"accept\", MethodType.methodType(Consumer.class), t, l3.findStatic($D.class, \"seen\", t), t); List b = new ArrayList(); b.add(h); b.forEach((Consumer) s.getTarget().invoke());",
    ),
    (
        "an interface of the program that is made by hand",
        "interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); var s = LambdaMetafactory.metafactory(l3, \"take\", MethodType.methodType(Take.class), t, l3.findStatic($D.class, \"seen\", t), t); Take k = (Take) s.getTarget().invoke(); k.take(h);",
    ),
    (
        "an interface of the program that is made by the other factory",
        "interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); var s = LambdaMetafactory.altMetafactory(l3, \"take\", MethodType.methodType(Take.class), t, l3.findStatic($D.class, \"seen\", t), t, 0); Take k = (Take) s.getTarget().invoke(); k.take(h);",
    ),
    (
        "what an interface that is made by hand returns",
        "interface Give { Object give(); } static class Other implements Give { public Object give() { return null; } } static Object held; static Object gives() { return held; }",
        "held = h; new Other().give(); var l3 = MethodHandles.lookup(); var t = MethodType.methodType(Object.class); var s = LambdaMetafactory.metafactory(l3, \"give\", MethodType.methodType(Give.class), t, l3.findStatic($D.class, \"gives\", t), t); Give k = (Give) s.getTarget().invoke(); seen(k.give());",
    ),
    (
        "a proxy of an interface among the members of a nest",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); Class<?> c = null; for (Class<?> n : $D.class.getNestMembers()) if (n.isInterface()) c = n; Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of the interface that looks itself up",
        "public interface Take { void take(Object o); static Class<?> me() { return MethodHandles.lookup().lookupClass(); } } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); Class<?> c = Take.me(); Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of the bound of a type",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } static class G<T extends Take> { }",
        "new Other().take(other); Class<?> c = (Class<?>) G.class.getTypeParameters()[0].getBounds()[0]; Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of a parameter in a list",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } static void some(Take t) { }",
        "new Other().take(other); if (h == null) some(new Other()); Class<?> c = null; for (Method m : $D.class.getDeclaredMethods()) if (m.getName().equals(\"some\")) c = MethodHandles.lookup().unreflect(m).type().parameterList().get(0); Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of a parameter in an array",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } static void some(Take t) { }",
        "new Other().take(other); if (h == null) some(new Other()); Class<?> c = null; for (Method m : $D.class.getDeclaredMethods()) if (m.getName().equals(\"some\")) c = MethodHandles.lookup().unreflect(m).type().parameterArray()[0]; Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of a permitted interface",
        "sealed interface S permits Take { } public non-sealed interface Take extends S { void take(Object o); } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); Class<?> c = S.class.getPermittedSubclasses()[0]; Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of the component of an array",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); Take[] none = new Take[0]; Class<?> c = none.getClass().componentType(); Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of the interface that calls",
        "public interface Take { void take(Object o); static Class<?> me() { return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass(); } static Class<?> you() { return me(); } } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); Class<?> c = Take.you(); Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of the type of a property",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } public static class Bean { public Take getTake() { return null; } public void setTake(Take t) { } }",
        "new Other().take(other); Class<?> c = new java.beans.PropertyDescriptor(\"take\", Bean.class).getPropertyType(); Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "the lock of a reader",
        "static class K extends Reader implements Iterator { public int read(char[] c, int o, int n) { return -1; } public void close() { } public boolean hasNext() { return true; } public Object next() { return 1; } Object me() { return lock; } }",
        "K k = new K(); k.hasNext(); k.next(); k.hasNext(); Iterator j = (Iterator) k.me(); j.next(); j.next(); seen(h);",
    ),
    (
        "the parameter of a source of random numbers",
        "public static class P implements java.security.SecureRandomParameters { final Object o; P(Object o) { this.o = o; } } public static class S extends java.security.SecureRandomSpi { public S(java.security.SecureRandomParameters p) { seen(((P) p).o); } protected void engineSetSeed(byte[] b) { } protected void engineNextBytes(byte[] b) { } protected byte[] engineGenerateSeed(int n) { return new byte[n]; } } static class Pr extends java.security.Provider { Pr() { super(\"P\", \"1\", \"\"); put(\"SecureRandom.Own\", \"$D$S\"); } }",
        "if (h == null) new S(null); java.security.SecureRandom.getInstance(\"Own\", new P(h), new Pr());",
    ),
    (
        "the fields of an object for a database",
        "public static class K implements Serializable { public transient Object o; }",
        "K k = new K(); k.o = h; seen(new javax.sql.rowset.serial.SerialJavaObject(k).getFields()[0].get(k));",
    ),
    (
        "a property that is transferred",
        "public static class K extends javax.swing.JPanel { public Object getFoo() { return null; } public void setFoo(Object o) { seen(o); } }",
        "System.setProperty(\"java.awt.headless\", \"true\"); K k = new K(); if (h == null) k.setFoo(other); var f = new java.awt.datatransfer.DataFlavor(java.awt.datatransfer.DataFlavor.javaJVMLocalObjectMimeType + \";class=java.lang.Object\", \"x\", $D.class.getClassLoader()); new javax.swing.TransferHandler(\"foo\").importData(k, new java.awt.datatransfer.Transferable() { public java.awt.datatransfer.DataFlavor[] getTransferDataFlavors() { return new java.awt.datatransfer.DataFlavor[] { f }; } public boolean isDataFlavorSupported(java.awt.datatransfer.DataFlavor g) { return true; } public Object getTransferData(java.awt.datatransfer.DataFlavor g) { return h; } });",
    ),
    (
        "a field of a component that gets its looks",
        "public static class K extends javax.swing.JComponent { Object o; public String getUIClassID() { return \"KUI\"; } } public static class U extends javax.swing.plaf.ComponentUI { public static javax.swing.plaf.ComponentUI createUI(javax.swing.JComponent c) { if (((K) c).o != null) seen(((K) c).o); return new U(); } }",
        "System.setProperty(\"java.awt.headless\", \"true\"); K k = new K(); k.o = h; if (h == null) U.createUI(new K()); javax.swing.UIManager.put(\"KUI\", \"$D$U\"); javax.swing.UIManager.put(\"$D$U\", U.class); javax.swing.UIManager.getUI(k);",
    ),
    (
        "an exception that is an iterator",
        "static class X extends RuntimeException implements Iterator { public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "X x = new X(); x.hasNext(); x.next(); Thread t = new Thread(() -> { throw x; }); t.setUncaughtExceptionHandler((u, e) -> ((Iterator) e).next()); t.start(); t.join(); seen(h);",
    ),
    (
        "a thread that is an iterator",
        "static class T extends Thread implements Iterator { public boolean hasNext() { return true; } public Object next() { return 1; } public void run() { ((Iterator) Thread.currentThread()).next(); } }",
        "T t = new T(); t.hasNext(); t.next(); t.start(); t.join(); seen(h);",
    ),
    (
        "the lock of a writer",
        "static class K extends Writer implements Iterator { public void write(char[] c, int o, int n) { } public void flush() { } public void close() { } public boolean hasNext() { return true; } public Object next() { return 1; } Object me() { return lock; } }",
        "K k = new K(); k.hasNext(); k.next(); k.hasNext(); Iterator j = (Iterator) k.me(); j.next(); j.next(); seen(h);",
    ),
    (
        "an exception that returns itself",
        "static class X extends RuntimeException implements Iterator { public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "X x = new X(); x.hasNext(); x.next(); ((Iterator) x.initCause(null)).next(); seen(h);",
    ),
    (
        "an exception that returns itself with its trace",
        "static class X extends RuntimeException implements Iterator { public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "X x = new X(); x.hasNext(); x.next(); ((Iterator) x.fillInStackTrace()).next(); seen(h);",
    ),
    (
        "an iterable that is made by hand",
        "static Iterator held; static Iterator gives() { return held; }",
        "held = i2; var l3 = MethodHandles.lookup(); var t = MethodType.methodType(Iterator.class); var s = LambdaMetafactory.metafactory(l3, \"iterator\", MethodType.methodType(Iterable.class), t, l3.findStatic($D.class, \"gives\", t), t); Iterable k = (Iterable) s.getTarget().invoke(); i2.next(); Iterator j = k.iterator(); j.next(); seen(h);",
    ),
    (
        "a proxy of the class in an annotation",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface A { Class<?> value(); } @A(Take.class) static class G { }",
        "new Other().take(other); Class<?> c = G.class.getAnnotation(A.class).value(); Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy of the class that an annotation defaults to",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface A { Class<?>[] value() default Take.class; } @A static class G { }",
        "new Other().take(other); Class<?> c = G.class.getAnnotation(A.class).value()[0]; Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a factory of lambdas that reflection found",
        "interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } }",
        "new Other().take(other); var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); Method f = LambdaMetafactory.class.getMethod(\"metafactory\", MethodHandles.Lookup.class, String.class, MethodType.class, MethodType.class, MethodHandle.class, MethodType.class); var s = l3.unreflect(f).invoke(l3, \"take\", MethodType.methodType(Take.class), t, l3.findStatic($D.class, \"seen\", t), t); Take k = (Take) ((CallSite) s).getTarget().invoke(); k.take(h);",
    ),
    (
        "a factory of lambdas behind a reference",
        "interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } interface Fac { CallSite make(MethodHandles.Lookup l, String n, MethodType a, MethodType b, MethodHandle c, MethodType d) throws LambdaConversionException; }",
        "new Other().take(other); var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); Fac f = LambdaMetafactory::metafactory; var s = f.make(l3, \"take\", MethodType.methodType(Take.class), t, l3.findStatic($D.class, \"seen\", t), t); Take k = (Take) s.getTarget().invoke(); k.take(h);",
    ),
    (
        "a handle that folds arguments",
        "static Object pick(Object o) { return o; } static void two(Object a, Object b) { seen(a); }",
        "var l3 = MethodHandles.lookup(); MethodHandles.foldArguments(l3.findStatic($D.class, \"two\", MethodType.methodType(void.class, Object.class, Object.class)), l3.findStatic($D.class, \"pick\", MethodType.methodType(Object.class, Object.class))).invoke(h);",
    ),
    (
        "a handle with a test",
        "static boolean yes(Object o) { return true; } static void no(Object o) { }",
        "var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); MethodHandles.guardWithTest(l3.findStatic($D.class, \"yes\", MethodType.methodType(boolean.class, Object.class)), l3.findStatic($D.class, \"seen\", t), l3.findStatic($D.class, \"no\", t)).invoke(h);",
    ),
    (
        "a handle with a finally",
        "static void boom(Object o) { throw new IllegalStateException(); } static void fin(Throwable t, Object o) { seen(o); }",
        "var l3 = MethodHandles.lookup(); MethodHandles.tryFinally(l3.findStatic($D.class, \"boom\", MethodType.methodType(void.class, Object.class)), l3.findStatic($D.class, \"fin\", MethodType.methodType(void.class, Throwable.class, Object.class))).invoke(h);",
    ),
    (
        "a handle that catches",
        "static void boom(Object o) { throw new IllegalStateException(); } static void fin(Throwable t, Object o) { seen(o); }",
        "var l3 = MethodHandles.lookup(); MethodHandles.catchException(l3.findStatic($D.class, \"boom\", MethodType.methodType(void.class, Object.class)), Throwable.class, l3.findStatic($D.class, \"fin\", MethodType.methodType(void.class, Throwable.class, Object.class))).invoke(h);",
    ),
    (
        "a handle that collects arguments",
        "static Object[] arr(Object a, Object b) { return new Object[] { a, b }; } static void all(Object[] o) { seen(o[0]); }",
        "var l3 = MethodHandles.lookup(); MethodHandles.collectArguments(l3.findStatic($D.class, \"all\", MethodType.methodType(void.class, Object[].class)), 0, l3.findStatic($D.class, \"arr\", MethodType.methodType(Object[].class, Object.class, Object.class))).invoke(h, h);",
    ),
    (
        "a handle that takes an array",
        "static void all(Object[] o) { seen(o[0]); }",
        "MethodHandles.lookup().findStatic($D.class, \"all\", MethodType.methodType(void.class, Object[].class)).asCollector(Object[].class, 1).invoke(h);",
    ),
    (
        "a handle that another class finds",
        "static class F { static MethodHandle find(MethodHandles.Lookup l, Class c, String n) throws Exception { return l.findStatic(c, n, MethodType.methodType(void.class, Object.class)); } }",
        "F.find(MethodHandles.lookup(), $D.class, \"seen\").bindTo(h).invoke();",
    ),
    (
        "a handle of a default method",
        "interface Take { default void take(Object o) { seen(o); } }",
        "Take t = new Take() { }; MethodHandles.lookup().findVirtual(Take.class, \"take\", MethodType.methodType(void.class, Object.class)).invoke(t, h);",
    ),
    (
        "a reference to a method of a superclass",
        "static class A { void take(Object o) { } } static class B extends A { void take(Object o) { seen(o); } } static class C extends B { void take(Object o) { Consumer c = super::take; c.accept(o); } }",
        "if (h == null) new B().take(other); new C().take(h);",
    ),
    (
        "a variable handle that compares elements",
        "",
        "Object[] a = new Object[1]; VarHandle v = MethodHandles.arrayElementVarHandle(Object[].class); v.compareAndSet(a, 0, null, h); seen(a[0]);",
    ),
    (
        "a variable handle that exchanges elements",
        "",
        "Object[] a = { h }; VarHandle v = MethodHandles.arrayElementVarHandle(Object[].class); seen(v.getAndSet(a, 0, null));",
    ),
    (
        "a variable handle in a constant",
        "static class K { Object o; static final VarHandle V; static { try { V = MethodHandles.lookup().findVarHandle(K.class, \"o\", Object.class); } catch (Exception e) { throw new Error(e); } } }",
        "K k = new K(); K.V.setVolatile(k, h); seen(k.o);",
    ),
    (
        "a variable handle that returns the value before",
        "static class K { Object o; static final VarHandle V; static { try { V = MethodHandles.lookup().findVarHandle(K.class, \"o\", Object.class); } catch (Exception e) { throw new Error(e); } } }",
        "K k = new K(); k.o = h; seen(K.V.compareAndExchange(k, null, null));",
    ),
    (
        "two futures that are combined",
        "",
        "CompletableFuture f = new CompletableFuture(); CompletableFuture g = f.thenCombine(CompletableFuture.completedFuture(1), (a, b) -> a); f.complete(h); seen(g.get());",
    ),
    (
        "a future whose value is replaced",
        "",
        "CompletableFuture f = new CompletableFuture(); f.obtrudeValue(h); seen(f.getNow(null));",
    ),
    (
        "a list of functions",
        "",
        "List<Runnable> rs = new CopyOnWriteArrayList<>(); rs.add(() -> seen(h)); rs.forEach(Runnable::run);",
    ),
    (
        "the handler of all uncaught exceptions",
        "static class X extends RuntimeException { Object o; }",
        "X x = new X(); x.o = h; Thread t = new Thread(() -> { throw x; }); var old = Thread.getDefaultUncaughtExceptionHandler(); Thread.setDefaultUncaughtExceptionHandler((u, e) -> seen(((X) e).o)); try { t.start(); t.join(); } finally { Thread.setDefaultUncaughtExceptionHandler(old); }",
    ),
    (
        "an inherited variable of a thread",
        "",
        "InheritableThreadLocal t = new InheritableThreadLocal(); t.set(h); Thread u = new Thread(() -> seen(t.get())); u.start(); u.join(); t.remove();",
    ),
    (
        "a message that is made later",
        "",
        "var log = java.util.logging.Logger.getAnonymousLogger(); log.setUseParentHandlers(false); log.addHandler(new java.util.logging.Handler() { public void publish(java.util.logging.LogRecord r) { } public void flush() { } public void close() { } }); log.severe(() -> { seen(h); return \"\"; });",
    ),
    (
        "an exception that is logged",
        "static class X extends RuntimeException { Object o; }",
        "X x = new X(); x.o = h; var log = java.util.logging.Logger.getAnonymousLogger(); log.setUseParentHandlers(false); log.addHandler(new java.util.logging.Handler() { public void publish(java.util.logging.LogRecord r) { seen(((X) r.getThrown()).o); } public void flush() { } public void close() { } }); log.log(java.util.logging.Level.SEVERE, \"\", x);",
    ),
    (
        "a handler of XML",
        "",
        "var p = javax.xml.parsers.SAXParserFactory.newInstance().newSAXParser(); p.parse(new ByteArrayInputStream(\"<a/>\".getBytes()), new org.xml.sax.helpers.DefaultHandler() { public void startElement(String u, String l1, String q, org.xml.sax.Attributes a) { seen(h); } });",
    ),
    (
        "a handler of comments in XML",
        "",
        "var p = javax.xml.parsers.SAXParserFactory.newInstance().newSAXParser().getXMLReader(); p.setProperty(\"http://xml.org/sax/properties/lexical-handler\", new org.xml.sax.ext.DefaultHandler2() { public void comment(char[] c, int a, int b) { seen(h); } }); p.parse(new org.xml.sax.InputSource(new StringReader(\"<a><!--x--></a>\")));",
    ),
    (
        "data of a node",
        "",
        "var d = javax.xml.parsers.DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument(); d.setUserData(\"k\", h, null); seen(d.getUserData(\"k\"));",
    ),
    (
        "a handler of the data of a node",
        "",
        "var d = javax.xml.parsers.DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument(); var e = d.createElement(\"a\"); e.setUserData(\"k\", h, (op, key, data, src, dst) -> seen(data)); e.cloneNode(true);",
    ),
    (
        "a function of XPath",
        "",
        "var x = javax.xml.xpath.XPathFactory.newInstance().newXPath(); x.setNamespaceContext(new javax.xml.namespace.NamespaceContext() { public String getNamespaceURI(String p) { return \"u\"; } public String getPrefix(String u) { return \"p\"; } public Iterator getPrefixes(String u) { return null; } }); x.setXPathFunctionResolver((n, k) -> args -> { seen(h); return \"x\"; }); x.evaluate(\"p:f()\", (Object) null);",
    ),
    (
        "a variable of XPath",
        "",
        "var x = javax.xml.xpath.XPathFactory.newInstance().newXPath(); x.setXPathVariableResolver(n -> { seen(h); return \"x\"; }); x.evaluate(\"$a\", new org.xml.sax.InputSource(new StringReader(\"<a/>\")));",
    ),
    (
        "a bundle that a control makes",
        "static Object held; static class B extends ResourceBundle { protected Object handleGetObject(String k) { return held; } public Enumeration<String> getKeys() { return null; } }",
        "held = h; seen(ResourceBundle.getBundle(\"x$D\", new ResourceBundle.Control() { public ResourceBundle newBundle(String b, Locale l, String f, ClassLoader c, boolean r) { return new B(); } }).getObject(\"k\"));",
    ),
    (
        "a scanner of a Readable",
        "",
        "new Scanner(new Readable() { public int read(java.nio.CharBuffer c) { seen(h); return -1; } }).hasNext();",
    ),
    (
        "a handler of an address",
        "",
        "new java.net.URL(null, \"x:y\", new java.net.URLStreamHandler() { protected java.net.URLConnection openConnection(java.net.URL u) { seen(h); return null; } }).openConnection();",
    ),
    (
        "the content of an address",
        "static class C extends java.net.URLConnection { Object o; C(java.net.URL u) { super(u); } public void connect() { } public Object getContent() { return o; } }",
        "C c = new C(null); c.o = h; seen(((java.net.URLConnection) c).getContent());",
    ),
    (
        "a property of an event",
        "public static class K { public void setO(Object o) { seen(o); } } public static class Ev extends EventObject { Object o; Ev(Object o) { super(\"x\"); this.o = o; } public Object getPay() { return o; } } public interface L extends EventListener { void got(Ev e); }",
        "K k = new K(); if (h == null) k.setO(other); L l0 = java.beans.EventHandler.create(L.class, k, \"o\", \"pay\"); l0.got(new Ev(h));",
    ),
    (
        "a change that may be refused",
        "",
        "var s = new java.beans.VetoableChangeSupport(new Object()); s.addVetoableChangeListener(e -> seen(e.getOldValue())); s.fireVetoableChange(\"p\", h, \"x\");",
    ),
    (
        "a weak key",
        "",
        "Map m = new WeakHashMap(); m.put(h, 1); seen(m.keySet().iterator().next());",
    ),
    (
        "a reference in a queue",
        "static class R extends WeakReference { Object o; R(Object k, ReferenceQueue q, Object o) { super(k, q); this.o = o; } }",
        "ReferenceQueue q = new ReferenceQueue(); R r = new R(new Object(), q, h); r.enqueue(); seen(((R) q.poll()).o);",
    ),
    (
        "a reference that is an iterator",
        "static class R extends WeakReference implements Iterator { R(Object k, ReferenceQueue q) { super(k, q); } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "ReferenceQueue q = new ReferenceQueue(); R r = new R(new Object(), q); r.hasNext(); r.next(); r.enqueue(); ((Iterator) q.poll()).next(); seen(h);",
    ),
    (
        "a reference of the program",
        "static class R extends SoftReference { R(Object k) { super(k); } }",
        "seen(new R(h).get());",
    ),
    (
        "a hook of the end",
        "",
        "Thread t = new Thread(() -> seen(h)); Runtime.getRuntime().addShutdownHook(t); Runtime.getRuntime().removeShutdownHook(t); t.run();",
    ),
    (
        "a clone of an array of arrays",
        "",
        "Object[][] a = { { h } }; Object[][] b = a.clone(); seen(b[0][0]);",
    ),
    (
        "an array of a list of an array",
        "",
        "List v = Arrays.asList(new Object[] { h }); seen(v.toArray(new Object[0])[0]);",
    ),
    (
        "constants with bodies in a set",
        "enum N { A { void take(Object o) { seen(o); } }; abstract void take(Object o); }",
        "for (N n : EnumSet.allOf(N.class)) n.take(h);",
    ),
    (
        "the values of an enum map",
        "enum N { A }",
        "var m = new EnumMap(N.class); m.put(N.A, h); seen(m.values().iterator().next());",
    ),
    (
        "readExternal",
        "static Object held; public static class K implements Externalizable { public K() { } public void writeExternal(ObjectOutput o) { } public void readExternal(ObjectInput in) { seen(held); } }",
        "held = h; var to = new ByteArrayOutputStream(); var oo = new ObjectOutputStream(to); oo.writeObject(new K()); oo.flush(); new ObjectInputStream(new ByteArrayInputStream(to.toByteArray())).readObject();",
    ),
    (
        "a stream of an iterator",
        "",
        "List b = new ArrayList(); b.add(h); StreamSupport.stream(Spliterators.spliteratorUnknownSize(b.iterator(), 0), false).forEach($D::seen);",
    ),
    (
        "a stream that asks an iterator",
        "",
        "Iterator j = StreamSupport.stream(Spliterators.spliteratorUnknownSize(i2, 0), false).iterator(); j.hasNext(); i2.next(); i2.next(); seen(h);",
    ),
    (
        "an enumeration as an iterator of a vector",
        "",
        "Vector v = new Vector(); v.add(h); seen(v.elements().asIterator().next());",
    ),
    (
        "a privileged action",
        "",
        "java.security.AccessController.doPrivileged((java.security.PrivilegedAction) () -> { seen(h); return null; });",
    ),
    (
        "a blocker of a pool",
        "",
        "ForkJoinPool.managedBlock(new ForkJoinPool.ManagedBlocker() { public boolean block() { seen(h); return true; } public boolean isReleasable() { return false; } });",
    ),
    (
        "a phaser",
        "",
        "new Phaser(1) { protected boolean onAdvance(int a, int b) { seen(h); return true; } }.arrive();",
    ),
    ("a transfer queue", "", "var q = new LinkedTransferQueue(); q.put(h); seen(q.poll());"),
    (
        "an attribute of a text",
        "",
        "seen(new java.text.AttributedString(\"x\", Map.of(java.text.AttributedCharacterIterator.Attribute.LANGUAGE, h)).getIterator().getAttribute(java.text.AttributedCharacterIterator.Attribute.LANGUAGE));",
    ),
    (
        "an attribute of a managed object",
        "",
        "seen(new javax.management.Attribute(\"a\", h).getValue());",
    ),
    (
        "a list of attributes",
        "",
        "var al = new javax.management.AttributeList(); al.add(new javax.management.Attribute(\"a\", h)); seen(al.asList().get(0).getValue());",
    ),
    (
        "a list of attributes that is its own list",
        "",
        "var al = new javax.management.AttributeList(); List v = al.asList(); Iterator j = al.iterator(); v.add(null); try { j.next(); } catch (Exception e) { } seen(h);",
    ),
    (
        "a model of a list",
        "",
        "var m = new javax.swing.DefaultListModel(); m.addElement(h); seen(m.get(0));",
    ),
    (
        "a node of a tree",
        "",
        "seen(new javax.swing.tree.DefaultMutableTreeNode(h).getUserObject());",
    ),
    (
        "a value of an action",
        "",
        "var a = new javax.swing.AbstractAction() { public void actionPerformed(java.awt.event.ActionEvent e) { } }; a.putValue(\"k\", h); seen(a.getValue(\"k\"));",
    ),
    (
        "a model of a table",
        "",
        "Vector rows = new Vector(); Vector row = new Vector(); row.add(h); rows.add(row); var m = new javax.swing.table.DefaultTableModel(rows, new Vector(List.of(\"c\"))); seen(m.getValueAt(0, 0));",
    ),
    ("frames of the stack", "", "StackWalker.getInstance().forEach(f -> seen(h));"),
    (
        "a record that is matched",
        "record R(Object a, Object b) { }",
        "Object r = new R(h, 1); if (r instanceof R q) seen(q.a());",
    ),
    (
        "a private method of an interface",
        "interface P { private void p(Object o) { seen(o); } default void d(Object o) { Consumer c = this::p; c.accept(o); } static void s(Object o) { new P() { }.d(o); } }",
        "P.s(h);",
    ),
    (
        "a default method that is called on",
        "interface P { default void d(Object o) { seen(o); } } static class Q implements P { public void d(Object o) { P.super.d(o); } }",
        "new Q().d(h);",
    ),
    (
        "an exception that replaces another",
        "static class X extends Exception { Object o; }",
        "X x = new X(); x.o = h; try { try { throw new Exception(); } finally { throw x; } } catch (Exception e) { if (e instanceof X y) seen(y.o); }",
    ),
    (
        "an offset of a static field",
        "static Object o;",
        "Field u = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\"); u.setAccessible(true); var s = (sun.misc.Unsafe) u.get(null); Field f = $D.class.getDeclaredField(\"o\"); s.putObject(s.staticFieldBase(f), s.staticFieldOffset(f), h); seen(o);",
    ),
    (
        "a lambda that is called by its other interface",
        "interface Take { void accept(Object o); } static class Other implements Take { public void accept(Object o) { } }",
        "Take n = new Other(); n.accept(other); Object f = (Consumer & Take) x -> seen(x); ((Take) f).accept(h);",
    ),
    (
        "a reference that is called by its other interface",
        "interface Take { void accept(Object o); } static class Other implements Take { public void accept(Object o) { } }",
        "Take n = new Other(); n.accept(other); Object f = (Consumer & Take) $D::seen; ((Take) f).accept(h);",
    ),
    (
        "a lambda that is also an iterable",
        "interface Give { Iterator iterator(); }",
        "Iterator both = i2; Object f = (Give & Iterable) () -> both; i2.next(); Iterator j = ((Iterable) f).iterator(); j.next(); seen(h);",
    ),
    (
        "a method of a chosen name",
        "static void sneaky(Object o) { seen(o); } static String name(boolean b) { return b ? \"sneaky\" : \"x\"; }",
        "if (h == null) sneaky(other); String n = name(true); $D.class.getDeclaredMethod(n, Object.class).invoke(null, h);",
    ),
    (
        "a method that another class finds",
        "public static void sneaky(Object o) { seen(o); } static class F { static Method find(Class c, String n) throws Exception { return c.getMethod(n, Object.class); } } public static class G { public static void sneaky(Object o) { seen(o); } }",
        "if (h == null) G.sneaky(other); F.find(G.class, \"sneaky\").invoke(null, h);",
    ),
    (
        "a list for a source of random numbers",
        "public static class P extends ArrayList implements java.security.SecureRandomParameters { } public static class S extends java.security.SecureRandomSpi { public S(java.security.SecureRandomParameters p) { if (p != null) ((List) p).add(\"z\"); } protected void engineSetSeed(byte[] b) { } protected void engineNextBytes(byte[] b) { } protected byte[] engineGenerateSeed(int n) { return new byte[n]; } } static class Pr extends java.security.Provider { Pr() { super(\"P\", \"1\", \"\"); put(\"SecureRandom.Own\", \"$D$S\"); } }",
        "P q = new P(); P p = new P(); p.add(1); p.add(2); Iterator j = p.iterator(); j.hasNext(); if (h == null) new S(q); java.security.SecureRandom.getInstance(\"Own\", p, new Pr()); j.next();",
    ),
    (
        "an iterator that gets its looks",
        "public static class K extends javax.swing.JComponent implements Iterator { public String getUIClassID() { return \"KUI\"; } public boolean hasNext() { return true; } public Object next() { return 1; } } public static class U extends javax.swing.plaf.ComponentUI { public static javax.swing.plaf.ComponentUI createUI(javax.swing.JComponent c) { ((Iterator) c).next(); return new U(); } }",
        "System.setProperty(\"java.awt.headless\", \"true\"); K k = new K(); K k2 = new K(); U.createUI(k2); k.hasNext(); k.next(); javax.swing.UIManager.put(\"KUI\", \"$D$U\"); javax.swing.UIManager.put(\"$D$U\", U.class); javax.swing.UIManager.getUI(k);",
    ),
    (
        "an iterator that an editor makes of a text",
        "public static class K implements Iterator { static final K ONE = new K(), TWO = new K(); public static K valueOf(String s) { return TWO; } public boolean hasNext() { return true; } public Object next() { return 1; } public String toString() { return \"k\"; } }",
        "System.setProperty(\"java.awt.headless\", \"true\"); K.TWO.hasNext(); K.TWO.next(); K.TWO.hasNext(); K.TWO.next(); var e = new javax.swing.plaf.basic.BasicComboBoxEditor(); e.setItem(K.ONE); ((javax.swing.JTextField) e.getEditorComponent()).setText(\"x\"); ((Iterator) e.getItem()).next(); seen(h);",
    ),
    (
        "a reader in a reader",
        "static class K extends FilterReader implements Iterator { K(Reader r) { super(r); } public boolean hasNext() { return true; } public Object next() { return 1; } Object me() { return in; } }",
        "K k = new K(new StringReader(\"\")); K two = new K(k); k.hasNext(); k.next(); ((Iterator) two.me()).next(); seen(h);",
    ),
    (
        "the lock of a filter",
        "static class K extends FilterReader implements Iterator { K(Reader r) { super(r); } public boolean hasNext() { return true; } public Object next() { return 1; } Object me() { return lock; } } static class B extends StringReader implements Iterator { B() { super(\"\"); } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "B k = new B(); K two = new K(k); k.hasNext(); k.next(); ((Iterator) two.me()).next(); seen(h);",
    ),
    (
        "a lock that a handle gets",
        "static class K extends Reader implements Iterator { public int read(char[] c, int o, int n) { return -1; } public void close() { } public boolean hasNext() { return true; } public Object next() { return 1; } Object me() throws Throwable { return MethodHandles.lookup().findGetter(K.class, \"lock\", Object.class).invoke(this); } }",
        "K k = new K(); k.hasNext(); k.next(); Iterator j = (Iterator) k.me(); j.next(); seen(h);",
    ),
    (
        "the source of an event",
        "static class K extends EventObject implements Iterator { K(Object o) { super(o); } public boolean hasNext() { return true; } public Object next() { return 1; } Object me() { return source; } }",
        "K k = new K(\"x\"); K two = new K(k); k.hasNext(); k.next(); ((Iterator) two.me()).next(); seen(h);",
    ),
    (
        "a thread among all threads",
        "static class T extends Thread implements Iterator { final CountDownLatch c = new CountDownLatch(1); public boolean hasNext() { return true; } public Object next() { return 1; } public void run() { try { c.await(); } catch (InterruptedException e) { } } }",
        "T t = new T(); t.hasNext(); t.next(); t.start(); try { for (Thread u : Thread.getAllStackTraces().keySet()) if (u instanceof Iterator j && u == t) j.next(); } finally { t.c.countDown(); } seen(h);",
    ),
    (
        "a clone of a list of the program",
        "static class L extends ArrayList { }",
        "L k = new L(); k.add(h); seen(((List) k.clone()).get(0));",
    ),
    (
        "the parent of a loader",
        "static class C extends ClassLoader implements Iterator { C(ClassLoader p) { super(p); } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "C c = new C(null); c.hasNext(); c.next(); C d = new C(c); ((Iterator) d.getParent()).next(); seen(h);",
    ),
    (
        "the loader of a thread",
        "static class C extends ClassLoader implements Iterator { C() { super(null); } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "C c = new C(); c.hasNext(); c.next(); var old = Thread.currentThread().getContextClassLoader(); Thread.currentThread().setContextClassLoader(c); try { ((Iterator) Thread.currentThread().getContextClassLoader()).next(); } finally { Thread.currentThread().setContextClassLoader(old); } seen(h);",
    ),
    (
        "a suppressed exception that is an iterator",
        "static class X extends Exception implements Iterator { public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "X x = new X(); x.hasNext(); x.next(); Throwable t = new Throwable(); t.addSuppressed(x); ((Iterator) t.getSuppressed()[0]).next(); seen(h);",
    ),
    (
        "a cause that is an iterator",
        "static class X extends Exception implements Iterator { public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "X x = new X(); x.hasNext(); x.next(); ((Iterator) new Throwable(x).getCause()).next(); seen(h);",
    ),
    (
        "a record that is an iterator",
        "record R(int n) implements Iterator { public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "R r = new R(1); r.hasNext(); r.next(); Map m = Map.of(\"k\", r); ((Iterator) m.get(\"k\")).next(); seen(h);",
    ),
    (
        "a list of an enumeration of the program",
        "static class E2 implements Enumeration { Object o; boolean d; public boolean hasMoreElements() { return !d; } public Object nextElement() { d = true; return o; } }",
        "E2 e = new E2(); e.o = h; seen(Collections.list(e).get(0));",
    ),
    (
        "a sequence of streams",
        "static class S extends InputStream { Object o; public int read() { seen(o); return -1; } }",
        "S s = new S(); s.o = h; new SequenceInputStream(s, new ByteArrayInputStream(new byte[1])).read();",
    ),
    (
        "a property of a component",
        "",
        "System.setProperty(\"java.awt.headless\", \"true\"); var f = new javax.swing.JFormattedTextField(); f.setValue(\"x\"); f.putClientProperty(\"k\", h); seen(f.getClientProperty(\"k\"));",
    ),
    (
        "an edit that is undone",
        "",
        "var u = new javax.swing.undo.UndoManager(); u.addEdit(new javax.swing.undo.AbstractUndoableEdit() { public void undo() { seen(h); } public boolean canUndo() { return true; } }); u.undo();",
    ),
    (
        "a state that is restored",
        "static class K implements javax.swing.undo.StateEditable { Object o; public void storeState(Hashtable t) { t.put(\"k\", o); } public void restoreState(Hashtable t) { seen(t.get(\"k\")); } }",
        "K k = new K(); k.o = h; var e = new javax.swing.undo.StateEdit(k); k.o = 1; e.end(); e.undo();",
    ),
    (
        "a set of attributes",
        "",
        "var s = new javax.swing.text.SimpleAttributeSet(); s.addAttribute(\"k\", h); seen(s.getAttribute(\"k\"));",
    ),
    (
        "a spliterator of the program",
        "static class S extends Spliterators.AbstractSpliterator { Object o; S() { super(1, 0); } public boolean tryAdvance(Consumer c) { if (o == null) return false; Object p = o; o = null; c.accept(p); return true; } }",
        "S s = new S(); s.o = h; seen(StreamSupport.stream(s, false).findFirst().get());",
    ),
    (
        "a comparator of entries",
        "",
        "List b = new ArrayList(); b.add(Map.entry(1, h)); b.add(Map.entry(1, h)); b.sort(Map.Entry.comparingByValue((p, q) -> { seen(p); return 0; }));",
    ),
    (
        "a comparator of the natural order",
        "static class K implements Comparable { Object o; public int compareTo(Object p) { seen(o); return 0; } }",
        "K k = new K(); k.o = h; ((Comparator) Comparator.naturalOrder()).compare(k, k);",
    ),
    (
        "a comparator that puts nulls first",
        "",
        "Comparator.nullsFirst((p, q) -> { seen(p); return 0; }).compare(h, h);",
    ),
    (
        "what a reducing collector returns",
        "",
        "seen(Stream.of(h).collect(Collectors.teeing(Collectors.counting(), Collectors.reducing((a, b) -> b), (n, o) -> o.get())));",
    ),
    (
        "a collector that filters",
        "",
        "Stream.of(h).collect(Collectors.filtering(x -> { seen(x); return true; }, Collectors.toList()));",
    ),
    (
        "a collector that flattens",
        "",
        "seen(Stream.of(1).collect(Collectors.flatMapping(x -> Stream.of(h), Collectors.toList())).get(0));",
    ),
    (
        "a stream that ends by a test",
        "",
        "Stream.iterate(h, x -> { seen(x); return false; }, x -> x).count(); Stream.iterate(h, x -> { seen(x); return false; }, x -> x).toList();",
    ),
    ("dropWhile", "", "Stream.of(h).dropWhile(x -> { seen(x); return true; }).toList();"),
    ("Optional.or", "", "seen(Optional.empty().or(() -> Optional.of(h)).get());"),
    (
        "an array that a stream fills",
        "",
        "Object[] box = new Object[1]; List b = new ArrayList(); b.add(h); b.stream().toArray(n -> box); seen(box[0]);",
    ),
    (
        "an interface that is found by name, behind a handle",
        "interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } static class F { static Object make(Class<?> c, MethodHandle m) { return MethodHandleProxies.asInterfaceInstance(c, m); } }",
        "new Other().take(other); var t = MethodType.methodType(void.class, Object.class); Object k = F.make(Class.forName(\"$D$Take\"), MethodHandles.lookup().findStatic($D.class, \"seen\", t)); ((Take) k).take(h);",
    ),
    (
        "a comparator that is a proxy",
        "static int cmp(Object a, Object b) { seen(a); return 0; }",
        "Comparator c = (Comparator) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { Comparator.class }, (p, m, a) -> m.getName().equals(\"compare\") ? $D.class.getDeclaredMethod(\"cmp\", Object.class, Object.class).invoke(null, a) : null); List b = new ArrayList(); b.add(h); b.add(h); b.sort(c);",
    ),
    (
        "a handler of a property of an element",
        "public static class K { public void setO(Object o) { seen(o); } } public static class Bean implements Comparable { Object o; public Object getPay() { return o; } public int compareTo(Object p) { return 0; } }",
        "K k = new K(); if (h == null) k.setO(other); Consumer c = java.beans.EventHandler.create(Consumer.class, k, \"o\", \"pay\"); Bean e = new Bean(); e.o = h; List b = new ArrayList(); b.add(e); b.forEach(c);",
    ),
    (
        "a handler of an element",
        "public static class K { public void setO(Object o) { seen(o); } }",
        "K k = new K(); if (h == null) k.setO(other); Consumer c = java.beans.EventHandler.create(Consumer.class, k, \"o\", \"\"); List b = new ArrayList(); b.add(h); b.forEach(c);",
    ),
    (
        "elements for a handle",
        "",
        "List b = new ArrayList(); b.add(h); b.forEach((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class))));",
    ),
    (
        "elements for a bound handle",
        "static class K { void take(Object a) { seen(a); } }",
        "if (h == null) new K().take(other); List b = new ArrayList(); b.add(h); b.forEach((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, MethodHandles.lookup().bind(new K(), \"take\", MethodType.methodType(void.class, Object.class))));",
    ),
    (
        "elements that a handle is called on",
        "static class K { Object o; void take() { seen(o); } }",
        "K k = new K(); k.o = h; List b = new ArrayList(); b.add(k); b.forEach((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, MethodHandles.lookup().findVirtual(K.class, \"take\", MethodType.methodType(void.class))));",
    ),
    (
        "elements for a handle of a constructor",
        "static class K { K(Object a) { seen(a); } }",
        "if (h == null) new K(other); List b = new ArrayList(); b.add(h); b.stream().map((Function) MethodHandleProxies.asInterfaceInstance(Function.class, MethodHandles.lookup().findConstructor(K.class, MethodType.methodType(void.class, Object.class)))).toList();",
    ),
    (
        "elements for a setter",
        "static class K { static Object o; }",
        "if (h == null) K.o = other; List b = new ArrayList(); b.add(h); b.forEach((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, MethodHandles.lookup().findStaticSetter(K.class, \"o\", Object.class))); seen(K.o);",
    ),
    (
        "elements for a setter that is made by hand",
        "static class K { Object o; void set(Object p) { o = p; } }",
        "K k = new K(); var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); var s = LambdaMetafactory.metafactory(l3, \"accept\", MethodType.methodType(Consumer.class, K.class), t, l3.findVirtual(K.class, \"set\", t), t); if (h == null) k.set(other); List b = new ArrayList(); b.add(h); b.forEach((Consumer) s.getTarget().invoke(k)); seen(k.o);",
    ),
    (
        "elements for a variable handle",
        "static class K { Object o; }",
        "K k = new K(); if (h == null) k.o = other; var v = MethodHandles.lookup().findVarHandle(K.class, \"o\", Object.class).toMethodHandle(VarHandle.AccessMode.SET).bindTo(k); List b = new ArrayList(); b.add(h); b.forEach((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, v)); seen(k.o);",
    ),
    (
        "elements for an updater",
        "static class K { volatile Object o; }",
        "K k = new K(); var u = AtomicReferenceFieldUpdater.newUpdater(K.class, Object.class, \"o\"); List b = new ArrayList(); b.add(h); b.forEach(x -> u.set(k, x)); seen(k.o);",
    ),
    (
        "a reference to invoke",
        "interface Inv { Object go(Object t, Object[] a) throws Exception; }",
        "Method m = $D.class.getDeclaredMethod(\"seen\", Object.class); Inv v = m::invoke; v.go(null, new Object[] { h });",
    ),
    (
        "elements for invoke",
        "",
        "Method m = $D.class.getDeclaredMethod(\"seen\", Object.class); List b = new ArrayList(); b.add(h); b.forEach(x -> { try { m.invoke(null, x); } catch (Exception e) { throw new RuntimeException(e); } });",
    ),
    (
        "arrays for invoke",
        "static Method m;",
        "m = $D.class.getDeclaredMethod(\"seen\", Object.class); BiFunction<Object, Object[], Object> f = (a, c) -> { try { return m.invoke(a, c); } catch (Exception e) { return null; } }; Map q = new HashMap(); q.put(\"k\", new Object[] { h }); q.forEach((k, v) -> f.apply(null, (Object[]) v));",
    ),
    (
        "elements for Array.set",
        "",
        "Object[] a = new Object[1]; List b = new ArrayList(); b.add(h); b.forEach(x -> Array.set(a, 0, x)); seen(a[0]);",
    ),
    (
        "elements for a map",
        "",
        "Map to = new HashMap(); List b = new ArrayList(); b.add(h); b.forEach(x -> to.put(1, x)); seen(to.get(1));",
    ),
    (
        "a list that a map makes",
        "",
        "Map to = new HashMap(); to.computeIfAbsent(\"k\", k -> { List b = new ArrayList(); b.add(h); return b; }); seen(((List) to.get(\"k\")).get(0));",
    ),
    (
        "contains of records",
        "record P(Object a) { }",
        "Set s = new HashSet(); s.add(new P(new E())); s.contains(new P(h)); List.of(new P(new E())).contains(new P(h));",
    ),
    ("an iterator of a stream", "", "Iterator j = Stream.of(h).iterator(); seen(j.next());"),
    (
        "a part of an array that is sorted",
        "",
        "Object[] a = { h, h }; Arrays.sort(a, 0, 2, Comparator.comparing((Function) x -> { seen(x); return 1; }));",
    ),
    (
        "forEachOrdered",
        "",
        "List b = new ArrayList(); b.add(h); b.parallelStream().forEachOrdered($D::seen);",
    ),
    (
        "a stream of entries",
        "",
        "Map m = new TreeMap(); m.put(1, h); m.entrySet().stream().map(e -> ((Map.Entry) e).getValue()).forEach(x -> seen(x));",
    ),
    (
        "a map of the program that puts",
        "static class M extends HashMap { public Object put(Object k, Object v) { seen(v); return super.put(k, v); } }",
        "Map m = new M(); m.put(1, h);",
    ),
    (
        "a hash that keeps",
        "static class K { static Object got; final Object o; K(Object o) { this.o = o; } public int hashCode() { got = o; return 1; } }",
        "K k = new K(h); new HashSet().add(k); seen(K.got);",
    ),
    (
        "a text that keeps",
        "static class K { Object got, o; public String toString() { got = o; return \"\"; } }",
        "K k = new K(); k.o = h; String.valueOf(k); seen(k.got);",
    ),
    (
        "a resource",
        "static class K implements AutoCloseable { Object o; public void close() { seen(o); } }",
        "K k = new K(); k.o = h; try (k) { }",
    ),
    (
        "a loop over the program's iterable",
        "static class K implements Iterable { Object o; public Iterator iterator() { return List.of(o).iterator(); } }",
        "K k = new K(); k.o = h; for (Object x : k) seen(x);",
    ),
    (
        "a copy of the program's collection",
        "static class K extends AbstractCollection { Object o; public int size() { return 1; } public Iterator iterator() { return List.of(o).iterator(); } }",
        "K k = new K(); k.o = h; List b = new ArrayList(k); seen(b.get(0));",
    ),
    (
        "an array of a list of the program",
        "static class K extends AbstractList { Object[] a = new Object[1]; public int size() { return 1; } public Object get(int n) { return a[n]; } public Object[] toArray() { return a; } }",
        "K k = new K(); var b = new CopyOnWriteArrayList(); b.addAll(k); k.a[0] = h; seen(b.get(0));",
    ),
    (
        "a list of the program that is sorted",
        "static class K extends AbstractList { Object[] a = new Object[1]; public int size() { return 1; } public Object get(int n) { return a[n]; } public Object set(int n, Object o) { seen(o); return null; } public Object[] toArray() { return a; } }",
        "K k = new K(); k.a[0] = h; k.sort(null); k.replaceAll(x -> x);",
    ),
    (
        "an initialiser of an anonymous class",
        "",
        "Object o = new Object() { Object in = h; { seen(in); } };",
    ),
    (
        "a bridge to a superclass",
        "interface A<T> { void take(T t); } static class B<T> { public void take(T t) { seen(t); } } static class C extends B<Object> implements A<Object> { }",
        "A a = new C(); a.take(h);",
    ),
    (
        "a function that is inherited",
        "static class B { public void accept(Object t) { seen(t); } } static class C extends B implements Consumer { }",
        "List b = new ArrayList(); b.add(h); b.forEach(new C());",
    ),
    (
        "a run that is inherited",
        "static class B { Object o; public void run() { seen(o); } } static class C extends B implements Runnable { }",
        "C c = new C(); c.o = h; Thread t = new Thread(c); t.start(); t.join();",
    ),
    (
        "a function with a narrower result",
        "static class C implements Function<Object, List> { public List apply(Object o) { seen(o); return null; } }",
        "Optional.of(h).map(new C());",
    ),
    (
        "a default method that is inherited",
        "interface T0 { default void go(Object o) { seen(o); } } interface T1 extends T0 { } static class C implements T1 { }",
        "((T0) new C()).go(h);",
    ),
    ("constants in an array", "enum N { A; Object o; }", "N.values()[0].o = h; seen(N.A.o);"),
    (
        "what is written to a database",
        "static class K implements java.sql.SQLData { Object o; public String getSQLTypeName() { return \"\"; } public void readSQL(java.sql.SQLInput i, String t) { } public void writeSQL(java.sql.SQLOutput out) { seen(o); } }",
        "K k = new K(); k.o = h; new javax.sql.rowset.serial.SerialStruct(k, new HashMap<>());",
    ),
    (
        "a task of a rate",
        "static class T extends TimerTask { Object o; final CountDownLatch d = new CountDownLatch(1); public void run() { seen(o); d.countDown(); cancel(); } }",
        "T t = new T(); t.o = h; Timer m = new Timer(true); m.scheduleAtFixedRate(t, 0, 1000); t.d.await(); m.cancel();",
    ),
    (
        "a task that is forked",
        "static class T extends RecursiveTask { Object o; protected Object compute() { T t = new T(); if (o instanceof Object[] x && x.length == 0) return o; return o; } }",
        "T t = new T(); t.o = h; t.fork(); seen(t.join());",
    ),
    (
        "what a future is completed with",
        "",
        "CompletableFuture.supplyAsync(() -> h).whenComplete((a, b) -> seen(a)).join();",
    ),
    (
        "a task for later",
        "",
        "var e = Executors.newSingleThreadScheduledExecutor(); try { seen(e.schedule(() -> h, 0, TimeUnit.SECONDS).get()); } finally { e.shutdown(); }",
    ),
    (
        "any of the tasks",
        "",
        "var e = Executors.newSingleThreadExecutor(); try { seen(e.invokeAny(List.of(() -> h))); } finally { e.shutdown(); }",
    ),
    (
        "a task that is rejected",
        "",
        "var e = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue(1), (r, x) -> r.run()); e.shutdown(); e.execute(() -> seen(h));",
    ),
    (
        "a factory of workers",
        "",
        "var e = Executors.newSingleThreadExecutor(r -> new Thread(() -> { seen(h); r.run(); })); e.submit(() -> { }).get(); e.shutdown();",
    ),
    (
        "the queue of an executor",
        "",
        "var q = new LinkedBlockingQueue<Runnable>(); var e = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, q); Runnable r = () -> seen(h); q.add(r); q.take().run(); e.shutdown();",
    ),
    (
        "what is done before a task",
        "static class P extends ThreadPoolExecutor { Object o; P() { super(1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue(1)); } protected void beforeExecute(Thread t, Runnable r) { seen(o); } }",
        "P p = new P(); p.o = h; p.submit(() -> { }).get(); p.shutdown();",
    ),
    (
        "a map of lists",
        "",
        "Map m = new HashMap(); ((List) m.computeIfAbsent(\"a\", k -> new ArrayList())).add(h); seen(((List) m.get(\"a\")).get(0));",
    ),
    (
        "lists that are merged",
        "",
        "Map m = new HashMap(); List b = new ArrayList(); b.add(h); m.merge(1, new ArrayList(), (x, y) -> y); m.merge(1, b, (x, y) -> y); seen(((List) m.get(1)).get(0));",
    ),
    (
        "a part whose elements are replaced",
        "",
        "List b = new ArrayList(); b.add(1); b.subList(0, 1).replaceAll(x -> h); seen(b.get(0));",
    ),
    (
        "an iterator of a part that sets",
        "",
        "List b = new ArrayList(List.of(1)); ListIterator k = b.subList(0, 1).listIterator(); k.next(); k.set(h); seen(b.get(0));",
    ),
    (
        "entries of a part of a map",
        "",
        "TreeMap m = new TreeMap(); m.put(1, 1); for (Object e : m.subMap(0, 5).entrySet()) ((Map.Entry) e).setValue(h); seen(m.get(1));",
    ),
    (
        "a set that is turned around",
        "",
        "TreeSet s = new TreeSet((a, b) -> a == b ? 0 : 1); s.descendingSet().add(h); seen(s.first());",
    ),
    (
        "a copy of a wrapped map",
        "",
        "Map m = new HashMap(); m.put(1, h); seen(new HashMap(Collections.unmodifiableMap(m)).get(1));",
    ),
    (
        "a checked map",
        "",
        "Map m = Collections.checkedMap(new HashMap(), Object.class, Object.class); m.put(1, h); seen(m.get(1));",
    ),
    (
        "an iterator over an array that sets",
        "",
        "Object[] a = { 1 }; ListIterator k = Arrays.asList(a).listIterator(); k.next(); k.set(h); seen(a[0]);",
    ),
    (
        "elements of an array that are swapped",
        "",
        "Object[] a = { 1, h }; Collections.swap(Arrays.asList(a), 0, 1); seen(a[0]);",
    ),
    (
        "an array that is turned around",
        "",
        "Object[] a = { 1, h }; Collections.reverse(Arrays.asList(a)); seen(a[0]);",
    ),
    (
        "an array in an array that is filled",
        "",
        "Object[][] a = { { null } }; Object[] b = { h }; System.arraycopy(b, 0, a[0], 0, 1); seen(a[0][0]);",
    ),
    (
        "a variable number of arguments for invoke",
        "static void all(Object... o) { seen(o[0]); }",
        "if (h == null) all(other); $D.class.getDeclaredMethod(\"all\", Object[].class).invoke(null, (Object) new Object[] { h });",
    ),
    (
        "the parameter of a terminal of cards",
        "public static class S extends javax.smartcardio.TerminalFactorySpi { public S(Object o) { seen(o); } protected javax.smartcardio.CardTerminals engineTerminals() { return null; } } static class Pr extends java.security.Provider { Pr() { super(\"P\", \"1\", \"\"); put(\"TerminalFactory.Own\", \"$D$S\"); } }",
        "if (h == null) new S(other); javax.smartcardio.TerminalFactory.getInstance(\"Own\", h, new Pr());",
    ),
    (
        "an event of the flight recorder",
        "public static class W extends jdk.jfr.SettingControl { public String combine(Set<String> s) { return \"true\"; } public void setValue(String s) { } public String getValue() { return \"true\"; } } public static class Ev extends jdk.jfr.Event implements Iterator { @jdk.jfr.SettingDefinition protected boolean keep(W w) { Iterator me = this; me.next(); return true; } public boolean hasNext() { return true; } public Object next() { return 1; } }",
        "Ev two = new Ev(); two.hasNext(); two.keep(null); try (var r = new jdk.jfr.Recording()) { r.enable(Ev.class); r.start(); Ev one = new Ev(); one.hasNext(); one.next(); one.commit(); r.stop(); }",
    ),
    (
        "elements for a setter of an array",
        "",
        "Object[] a = new Object[1]; var m = MethodHandles.insertArguments(MethodHandles.arrayElementSetter(Object[].class), 0, a, 0); List b = new ArrayList(); b.add(h); b.forEach((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, m)); seen(a[0]);",
    ),
    (
        "elements for a method of a list",
        "",
        "List to = new ArrayList(); var m = MethodHandles.lookup().findVirtual(List.class, \"add\", MethodType.methodType(boolean.class, Object.class)).bindTo(to); List b = new ArrayList(); b.add(h); b.forEach((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, m)); seen(to.get(0));",
    ),
    (
        "elements of the program's collection that are added",
        "static class K extends AbstractCollection { Object o; public int size() { return 1; } public Iterator iterator() { return List.of(o).iterator(); } }",
        "K k = new K(); k.o = h; List b = new LinkedList(); b.addAll(k); seen(b.get(0));",
    ),
    (
        "a copy of the program's list",
        "static class K extends AbstractList { Object o; public int size() { return 1; } public Object get(int n) { return o; } }",
        "K k = new K(); k.o = h; List b = new ArrayList(k); seen(b.get(0));",
    ),
    (
        "a copy of the program's map",
        "static class K extends AbstractMap { Object o; public Set entrySet() { return Set.of(Map.entry(1, o)); } }",
        "K k = new K(); k.o = h; Map b = new HashMap(k); seen(b.get(1));",
    ),
    (
        "a copy of the program's set",
        "static class K extends AbstractSet { Object o; public int size() { return 1; } public Iterator iterator() { return Collections.singleton(o).iterator(); } }",
        "K k = new K(); k.o = h; List b = new ArrayList(k); seen(b.get(0));",
    ),
    (
        "a copy of a collection with an iterator of the program",
        "static class K extends AbstractCollection { Object o; public int size() { return 1; } public Iterator iterator() { return new Iterator() { boolean d; public boolean hasNext() { return !d; } public Object next() { d = true; return o; } }; } }",
        "K k = new K(); k.o = h; List b = new ArrayList(k); seen(b.get(0));",
    ),
    (
        "an entry that inherits from one of the JDK",
        "static class E3 extends AbstractMap.SimpleEntry { E3(Object v) { super(1, v); } }",
        "Map m = new HashMap(); m.put(1, 2); for (Object o : m.entrySet()) ((Map.Entry) o).getValue(); Map.Entry e = new E3(h); seen(e.getValue());",
    ),
    (
        "an entry that inherits from an immutable one",
        "static class E3 extends AbstractMap.SimpleImmutableEntry { E3(Object v) { super(1, v); } }",
        "Map m = new HashMap(); m.put(1, 2); m.values(); for (Object o : m.entrySet()) ((Map.Entry) o).getValue(); Map.Entry e = new E3(h); seen(e.getValue());",
    ),
    (
        "a copy of a deque",
        "",
        "ArrayDeque d = new ArrayDeque(); d.add(h); List b = new ArrayList(d); seen(b.get(0));",
    ),
    (
        "elements of a set that are added",
        "",
        "Set d = new HashSet(); d.add(h); List b = new LinkedList(); b.addAll(d); seen(b.get(0));",
    ),
    (
        "a copy of a map in order",
        "",
        "Map d = new HashMap(); d.put(1, h); Map b = new TreeMap(d); seen(b.get(1));",
    ),
    (
        "entries of a table that are put",
        "",
        "Hashtable d = new Hashtable(); d.put(1, h); HashMap b = new HashMap(); b.putAll(d); for (Object v : b.values()) seen(v);",
    ),
    (
        "elements of a queue that are inserted",
        "",
        "Queue d = new ConcurrentLinkedQueue(); d.add(h); List b = new ArrayList(List.of(1)); b.addAll(0, d); seen(b.get(0));",
    ),
    (
        "a copy of a queue that a method makes",
        "static Collection of(Object o) { var q = new PriorityQueue(); q.add(o); return q; }",
        "List b = new Vector(of(h)); seen(b.get(0));",
    ),
    (
        "a proxy of an interface that a loader of the program finds",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } static class C extends ClassLoader { C() { super($D.class.getClassLoader()); } }",
        "new Other().take(other); Class<?> c = new C().loadClass(Other.class.getName().replace(\"Other\", \"Take\")); Take k = (Take) Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, (p, m, a) -> { seen(a[0]); return null; }); k.take(h);",
    ),
    (
        "a proxy that an ObjectInput reads",
        "public interface Take { void take(Object o); } static class Other implements Take { public void take(Object o) { } } static class H implements InvocationHandler, Serializable { public Object invoke(Object p, Method m, Object[] a) { seen(a[0]); return null; } }",
        "new Other().take(other); var to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(new H()); byte[] bytes = to.toByteArray(); Class<?> c = Other.class.getInterfaces()[0]; to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(Proxy.newProxyInstance($D.class.getClassLoader(), new Class<?>[] { c }, new H())); ObjectInput in = new ObjectInputStream(new ByteArrayInputStream(to.toByteArray())); ((Take) in.readObject()).take(h);",
    ),
    (
        "a method that sixty others call, one after the other",
        "static Object m0(Object o) { return o; } static Object m1(Object o) { return m0(o); } static Object m2(Object o) { return m1(o); } static Object m3(Object o) { return m2(o); } static Object m4(Object o) { return m3(o); } static Object m5(Object o) { return m4(o); } static Object m6(Object o) { return m5(o); } static Object m7(Object o) { return m6(o); } static Object m8(Object o) { return m7(o); } static Object m9(Object o) { return m8(o); } static Object m10(Object o) { return m9(o); } static Object m11(Object o) { return m10(o); } static Object m12(Object o) { return m11(o); } static Object m13(Object o) { return m12(o); } static Object m14(Object o) { return m13(o); } static Object m15(Object o) { return m14(o); } static Object m16(Object o) { return m15(o); } static Object m17(Object o) { return m16(o); } static Object m18(Object o) { return m17(o); } static Object m19(Object o) { return m18(o); } static Object m20(Object o) { return m19(o); } static Object m21(Object o) { return m20(o); } static Object m22(Object o) { return m21(o); } static Object m23(Object o) { return m22(o); } static Object m24(Object o) { return m23(o); } static Object m25(Object o) { return m24(o); } static Object m26(Object o) { return m25(o); } static Object m27(Object o) { return m26(o); } static Object m28(Object o) { return m27(o); } static Object m29(Object o) { return m28(o); } static Object m30(Object o) { return m29(o); } static Object m31(Object o) { return m30(o); } static Object m32(Object o) { return m31(o); } static Object m33(Object o) { return m32(o); } static Object m34(Object o) { return m33(o); } static Object m35(Object o) { return m34(o); } static Object m36(Object o) { return m35(o); } static Object m37(Object o) { return m36(o); } static Object m38(Object o) { return m37(o); } static Object m39(Object o) { return m38(o); } static Object m40(Object o) { return m39(o); } static Object m41(Object o) { return m40(o); } static Object m42(Object o) { return m41(o); } static Object m43(Object o) { return m42(o); } static Object m44(Object o) { return m43(o); } static Object m45(Object o) { return m44(o); } static Object m46(Object o) { return m45(o); } static Object m47(Object o) { return m46(o); } static Object m48(Object o) { return m47(o); } static Object m49(Object o) { return m48(o); } static Object m50(Object o) { return m49(o); } static Object m51(Object o) { return m50(o); } static Object m52(Object o) { return m51(o); } static Object m53(Object o) { return m52(o); } static Object m54(Object o) { return m53(o); } static Object m55(Object o) { return m54(o); } static Object m56(Object o) { return m55(o); } static Object m57(Object o) { return m56(o); } static Object m58(Object o) { return m57(o); } static Object m59(Object o) { return m58(o); }",
        "seen(m59(h));",
    ),
    (
        "a method that may return null instead",
        "static boolean yes() { return true; } static Object or(Object o) { return yes() ? null : o; }",
        "Iterator k = l.iterator(); Iterator j = (Iterator) or(k); try { j.hasNext(); } catch (NullPointerException e) { } k.next(); seen(h);",
    ),
    (
        "a method that a class inherits from the JDK, asked by its own interface",
        "interface Give { Object get(int n); } static class Sub extends ArrayList implements Give { } static class Other implements Give { public Object get(int n) { return null; } } static Give pick(boolean b, Give s) { return b ? new Other() : s; }",
        "Sub s = new Sub(); s.add(h); seen(pick(h == null, s).get(0));",
    ),
    (
        "a method that a class inherits from the JDK, called by its own interface",
        "interface Take { boolean add(Object o); } static class Sub extends ArrayList implements Take { } static class Other implements Take { public boolean add(Object o) { return false; } } static Take pick(boolean b, Take s) { return b ? new Other() : s; }",
        "Sub s = new Sub(); pick(h == null, s).add(h); seen(s.get(0));",
    ),
    (
        "elements that a collection pushes",
        "static class C extends AbstractCollection { Object o; public int size() { return 1; } public Iterator iterator() { return List.of(1).iterator(); } public void forEach(Consumer f) { f.accept(o); } }",
        "C c = new C(); c.o = h; seen(new ArrayDeque(c).getFirst());",
    ),
    (
        "a method behind a method of the JDK",
        "static class Q extends ArrayDeque { Object o; public Object pollFirst() { return o; } }",
        "Q q = new Q(); q.o = h; seen(q.poll());",
    ),
    (
        "what a function that transforms returns",
        "",
        "var m = new ConcurrentHashMap(); m.put(1, 1); m.forEach(1L, (k, v) -> h, x -> seen(x));",
    ),
    (
        "the array of a vector",
        "static class V extends Vector { Object at() { return elementData[0]; } }",
        "V v = new V(); v.add(h); seen(v.at());",
    ),
    (
        "an interface with a default and a private method",
        "interface A { private Object in(Object o) { return o; } default Object same(Object o) { return in(o); } } interface B extends A { } static class D implements B { Object in(Object o) { return null; } public Object same(Object o) { return B.super.same(o); } }",
        "A a = new D(); seen(a.same(h));",
    ),
];
