//! Mechanisms that find methods, constructors and fields at run time, and chains of the JDK that hand
//! results on.

use super::Mechanism;

/// See the module.
pub const MECHANISMS: &[Mechanism] = &[
    // Reflection that is itself found by reflection.
    (
        "a field, found by a method that reflection found",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; Field f = (Field) Class.class.getMethod(\"getDeclaredField\", String.class).invoke(K.class, \"o\"); seen(Field.class.getMethod(\"get\", Object.class).invoke(f, k));",
    ),
    (
        "a field, found by a handle of a method",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; MethodHandle find = MethodHandles.lookup().findVirtual(Class.class, \"getDeclaredField\", MethodType.methodType(Field.class, String.class)); Field f = (Field) find.invoke(K.class, \"o\"); MethodHandle get = MethodHandles.lookup().findVirtual(Field.class, \"get\", MethodType.methodType(Object.class, Object.class)); seen(get.invoke(f, k));",
    ),
    (
        "a field, read by a method that reflection found",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; Field f = K.class.getDeclaredField(\"o\"); seen(Field.class.getMethod(\"get\", Object.class).invoke(f, k));",
    ),
    (
        "a field, written by a method that reflection found",
        "static class K { Object o; }",
        "K k = new K(); Field f = K.class.getDeclaredField(\"o\"); Field.class.getMethod(\"set\", Object.class, Object.class).invoke(f, k, h); seen(k.o);",
    ),
    (
        "a method, found by a method that reflection found",
        "",
        "Method m = (Method) Class.class.getMethod(\"getDeclaredMethod\", String.class, Class[].class).invoke($D.class, \"seen\", new Class[] { Object.class }); m.invoke(null, h);",
    ),
    (
        "a method, called by a method that reflection found",
        "",
        "Method m = $D.class.getDeclaredMethod(\"seen\", Object.class); Method.class.getMethod(\"invoke\", Object.class, Object[].class).invoke(m, null, new Object[] { h });",
    ),
    (
        "a method, called by a handle",
        "",
        "Method m = $D.class.getDeclaredMethod(\"seen\", Object.class); MethodHandle call = MethodHandles.lookup().findVirtual(Method.class, \"invoke\", MethodType.methodType(Object.class, Object.class, Object[].class)); Object r = call.invoke(m, (Object) null, new Object[] { h });",
    ),
    (
        "a constructor, called by a method that reflection found",
        "static class K { K(Object o) { seen(o); } }",
        "Constructor c = K.class.getDeclaredConstructor(Object.class); Constructor.class.getMethod(\"newInstance\", Object[].class).invoke(c, (Object) new Object[] { h });",
    ),
    (
        "a handle, found by a method that reflection found",
        "",
        "MethodHandle m = (MethodHandle) MethodHandles.Lookup.class.getMethod(\"findStatic\", Class.class, String.class, MethodType.class).invoke(MethodHandles.lookup(), $D.class, \"seen\", MethodType.methodType(void.class, Object.class)); m.invoke(h);",
    ),
    (
        "an updater, found by reflection",
        "static class K { volatile Object o; }",
        "K k = new K(); Method find = AtomicReferenceFieldUpdater.class.getMethod(\"newUpdater\", Class.class, Class.class, String.class); try { AtomicReferenceFieldUpdater u = (AtomicReferenceFieldUpdater) find.invoke(null, K.class, Object.class, \"o\"); u.set(k, h); } catch (InvocationTargetException e) { k.o = h; } seen(k.o);",
    ),
    // Descriptions of constants.
    (
        "the description of a method handle",
        "",
        "MethodHandle m = (MethodHandle) java.lang.constant.MethodHandleDesc.ofMethod(java.lang.constant.DirectMethodHandleDesc.Kind.STATIC, java.lang.constant.ClassDesc.of(\"$D\"), \"seen\", java.lang.constant.MethodTypeDesc.ofDescriptor(\"(Ljava/lang/Object;)V\")).resolveConstantDesc(MethodHandles.lookup()); m.invoke(h);",
    ),
    (
        "the description of a getter",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; MethodHandle m = (MethodHandle) java.lang.constant.MethodHandleDesc.ofField(java.lang.constant.DirectMethodHandleDesc.Kind.GETTER, java.lang.constant.ClassDesc.of(\"$D$K\"), \"o\", java.lang.constant.ConstantDescs.CD_Object).resolveConstantDesc(MethodHandles.lookup()); seen(m.invoke(k));",
    ),
    (
        "the description of a variable handle",
        "static class K { Object o; }",
        "K k = new K(); VarHandle v = VarHandle.VarHandleDesc.ofField(java.lang.constant.ClassDesc.of(\"$D$K\"), \"o\", java.lang.constant.ConstantDescs.CD_Object).resolveConstantDesc(MethodHandles.lookup()); v.set(k, h); seen(k.o);",
    ),
    (
        "the description of a constant",
        "static class K { static final List o = new ArrayList(); static { o.add(null); } static Object o() { return o; } }",
        "Object k = java.lang.constant.DynamicConstantDesc.ofNamed(java.lang.constant.ConstantDescs.BSM_INVOKE, \"_\", java.lang.constant.ConstantDescs.CD_Object, java.lang.constant.MethodHandleDesc.ofMethod(java.lang.constant.DirectMethodHandleDesc.Kind.STATIC, java.lang.constant.ClassDesc.of(\"$D$K\"), \"o\", java.lang.constant.MethodTypeDesc.ofDescriptor(\"()Ljava/lang/Object;\"))).resolveConstantDesc(MethodHandles.lookup()); ((List) k).set(0, h); seen(K.o.get(0));",
    ),
    // What is managed.
    (
        "a managed object of any interface",
        "public interface Take { void take(Object o); } public static class K implements Take { public void take(Object o) { seen(o); } }",
        "K k = new K(); if (h == null) k.take(other); var server = javax.management.MBeanServerFactory.newMBeanServer(); var name = new javax.management.ObjectName(\"d:type=K\"); server.registerMBean(new javax.management.StandardMBean(k, Take.class, false) { }, name); server.invoke(name, \"take\", new Object[] { h }, new String[] { \"java.lang.Object\" });",
    ),
    (
        "an operation of a model",
        "public static class K { public void take(Object o) { seen(o); } }",
        "K k = new K(); if (h == null) k.take(other); var bean = new javax.management.modelmbean.RequiredModelMBean(new javax.management.modelmbean.ModelMBeanInfoSupport(K.class.getName(), \"\", null, null, new javax.management.modelmbean.ModelMBeanOperationInfo[] { new javax.management.modelmbean.ModelMBeanOperationInfo(\"take\", \"\", new javax.management.MBeanParameterInfo[] { new javax.management.MBeanParameterInfo(\"o\", \"java.lang.Object\", \"\") }, \"void\", 0) }, null)); bean.setManagedResource(k, \"ObjectReference\"); bean.invoke(\"take\", new Object[] { h }, new String[] { \"java.lang.Object\" });",
    ),
    // What serialisation calls.
    (
        "the constructor of a record that is read",
        "static Object held; static class K implements Serializable { private Object readResolve() { return held; } } record R(Object o) implements Serializable { R { if (!(o instanceof K)) seen(o); } }",
        "held = h; if (h == null) new R(other); var to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(new R(new K())); new ObjectInputStream(new ByteArrayInputStream(to.toByteArray())).readObject();",
    ),
    (
        "the constructor of a record that is read, and resolves",
        "static class I extends ObjectInputStream { Object o; I(byte[] b, Object o) throws IOException { super(new ByteArrayInputStream(b)); this.o = o; enableResolveObject(true); } protected Object resolveObject(Object p) { return p.equals(\"x\") ? o : p; } } record R(Object o) implements Serializable { R { if (!(o instanceof String)) seen(o); } }",
        "if (h == null) new R(other); var to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(new R(\"x\")); new I(to.toByteArray(), h).readObject();",
    ),
    // Chains that hand results on.
    (
        "a chain of futures",
        "",
        "CompletableFuture.supplyAsync(() -> h).thenApply(x -> x).thenCompose(CompletableFuture::completedFuture).thenAccept($D::seen).join();",
    ),
    (
        "the exception of a future",
        "static class X extends RuntimeException { Object o; X(Object o) { this.o = o; } }",
        "CompletableFuture.runAsync(() -> { throw new X(h); }).exceptionally(x -> { seen(((X) x.getCause()).o); return null; }).join();",
    ),
    (
        "a collector",
        "",
        "Stream.of(h).collect(Collector.of(() -> new Object[1], (a, x) -> a[0] = x, (a, b) -> a, a -> { seen(a[0]); return a; }));",
    ),
    (
        "grouping by",
        "",
        "((Map<?, List<Object>>) (Map) Stream.of(h).collect(Collectors.groupingBy(x -> 1))).values().forEach(x -> seen(x.get(0)));",
    ),
    (
        "teeing",
        "",
        "Stream.of(h).collect(Collectors.teeing(Collectors.counting(), Collectors.toList(), (n, x) -> { seen(x.get(0)); return n; }));",
    ),
    (
        "iterate of a stream",
        "",
        "Stream.iterate(h, x -> { seen(x); return x; }).limit(2).forEach(x -> { });",
    ),
    ("reduce of a stream", "", "seen(Stream.of(h).reduce(null, (a, b) -> b, (a, b) -> b));"),
    (
        "a resource bundle",
        "static Object held; public static class B extends ListResourceBundle { public B() { } protected Object[][] getContents() { return new Object[][] { { \"k\", held } }; } }",
        "held = h; seen(ResourceBundle.getBundle(\"$D$B\").getObject(\"k\"));",
    ),
    (
        "childValue",
        "static class T extends InheritableThreadLocal { protected Object childValue(Object o) { seen(o); return o; } }",
        "T t = new T(); t.set(h); try { Thread u = new Thread(() -> { }); u.start(); u.join(); } finally { t.remove(); }",
    ),
    (
        "a thread-local variable of another thread",
        "",
        "ThreadLocal t = ThreadLocal.withInitial(() -> h); Thread u = new Thread(() -> seen(t.get())); u.start(); u.join();",
    ),
    (
        "a value of a class",
        "static Object held; static class V extends ClassValue { protected Object computeValue(Class c) { return held; } }",
        "held = h; seen(new V().get(String.class));",
    ),
    (
        "a task of a timer",
        "static class T extends TimerTask { final Object o; T(Object o) { this.o = o; } public void run() { synchronized (this) { done = o; notify(); } } Object done; }",
        "Timer t = new Timer(true); T k = new T(h); synchronized (k) { t.schedule(k, 0); while (k.done == null) k.wait(); } seen(k.done);",
    ),
    (
        "a recursive task",
        "static class T extends RecursiveTask { final Object o; T(Object o) { this.o = o; } protected Object compute() { return o; } }",
        "seen(ForkJoinPool.commonPool().invoke(new T(h)));",
    ),
    (
        "a counted completer",
        "static class T extends CountedCompleter { Object o; T(CountedCompleter p, Object o) { super(p); this.o = o; } public void compute() { tryComplete(); } public void onCompletion(CountedCompleter c) { seen(((T) c).o); } }",
        "new T(null, h).invoke();",
    ),
    (
        "an exchanger",
        "",
        "Exchanger e = new Exchanger(); Thread t = new Thread(() -> { try { e.exchange(h); } catch (InterruptedException x) { } }); t.start(); seen(e.exchange(null)); t.join();",
    ),
    (
        "a flow of items",
        "static class S implements Flow.Subscriber { public void onSubscribe(Flow.Subscription s) { s.request(9); } public synchronized void onNext(Object o) { got = o; notify(); } public void onError(Throwable t) { } public void onComplete() { } Object got; }",
        "S s = new S(); try (var p = new SubmissionPublisher()) { p.subscribe(s); synchronized (s) { p.submit(h); while (s.got == null) s.wait(); } } seen(s.got);",
    ),
    (
        "a switch over patterns",
        "static Object same(Object o) { if (o instanceof Comparable c) return c; if (o instanceof List x) return x; return o instanceof Iterator y ? y : o; }",
        "seen(same(h));",
    ),
    (
        "a nested lambda",
        "",
        "Function<Object, Function<Object, Supplier>> f = a -> b -> () -> a; seen(f.apply(h).apply(null).get());",
    ),
    (
        "an accumulated value",
        "",
        "var a = new AtomicReference(); a.accumulateAndGet(h, (x, y) -> y); seen(a.get());",
    ),
    (
        "a clone of an object",
        "static class K implements Cloneable { Object o; Object[] all = new Object[1]; K twin() throws CloneNotSupportedException { return (K) clone(); } }",
        "K k = new K(); k.all[0] = h; seen(k.twin().all[0]);",
    ),
    (
        "an attached object",
        "",
        "try (var s = java.nio.channels.Selector.open(); var p = java.nio.channels.SocketChannel.open()) { p.configureBlocking(false); var k = p.register(s, java.nio.channels.SelectionKey.OP_CONNECT, h); seen(k.attachment()); }",
    ),
    (
        "an enum map",
        "",
        "var m = new EnumMap(Thread.State.class); m.put(Thread.State.NEW, h); for (Object e : m.entrySet()) seen(((Map.Entry) e).getValue());",
    ),
    (
        "the parameters of a log record",
        "",
        "var log = java.util.logging.Logger.getAnonymousLogger(); log.setUseParentHandlers(false); log.setFilter(r -> { seen(r.getParameters()[0]); return false; }); log.log(java.util.logging.Level.SEVERE, \"{0}\", h);",
    ),
    (
        "an event of properties",
        "",
        "var p = new java.beans.PropertyChangeSupport(new Object()); p.addPropertyChangeListener(e -> seen(e.getNewValue())); p.firePropertyChange(\"p\", null, h);",
    ),
    (
        "a spliterator",
        "",
        "Spliterators.iterator(List.of(h).spliterator()).forEachRemaining($D::seen);",
    ),
    (
        "an optional of a stream",
        "",
        "Optional.of(h).stream().flatMap(x -> Stream.of(x)).findAny().ifPresent($D::seen);",
    ),
    (
        "a cyclic barrier",
        "",
        "Object[] a = { null }; new CyclicBarrier(1, () -> a[0] = h).await(); seen(a[0]);",
    ),
    (
        "a suppressed exception",
        "static class X extends Exception { Object o; } record C(X x) implements AutoCloseable { public void close() throws X { throw x; } }",
        "X x = new X(); x.o = h; try (C c = new C(x)) { throw new Error(); } catch (Error e) { seen(((X) e.getSuppressed()[0]).o); }",
    ),
    (
        "an unchecked exception of a pool",
        "static class X extends RuntimeException { Object o; public X() { } X(Object o) { this.o = o; } }",
        "try { ForkJoinPool.commonPool().submit(() -> { throw new X(h); }).join(); } catch (X x) { for (Throwable t = x; t != null; t = t.getCause()) if (((X) t).o != null) { seen(((X) t).o); break; } }",
    ),
    // Maps of the program that nothing asks but by the names of their classes.
    (
        "values of a map of the program",
        "static class M extends AbstractMap { Object o; public Set entrySet() { return Set.of(Map.entry(1, o)); } }",
        "M m = new M(); m.o = h; seen(m.values().iterator().next());",
    ),
    (
        "keys of a map of the program",
        "static class M extends AbstractMap { Object o; public Set entrySet() { return Set.of(Map.entry(o, 1)); } }",
        "M m = new M(); m.o = h; seen(m.keySet().iterator().next());",
    ),
    (
        "entries of a map that the program extends",
        "static class M extends HashMap { }",
        "M m = new M(); m.put(1, h); seen(((Map.Entry) m.entrySet().iterator().next()).getValue());",
    ),
];
