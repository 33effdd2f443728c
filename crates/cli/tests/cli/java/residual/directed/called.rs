//! Mechanisms by which the JDK finds code of the program without the program's help, functions that it
//! chains, and parts of collections that it hands on.

use super::Mechanism;

/// See the module.
pub const MECHANISMS: &[Mechanism] = &[
    // The JDK finds methods, constructors and fields by their names.
    (
        "a value that Swing makes later",
        "public static class K { public static Object take(Object[] o) { seen(o[0]); return o; } }",
        "if (h == null) K.take(new Object[] { other }); new javax.swing.UIDefaults.ProxyLazyValue(\"$D$K\", \"take\", new Object[] { new Object[] { h } }).createValue(null);",
    ),
    (
        "a service of a provider",
        "public static class K { public K(Object[] o) { seen(o[0]); } } static class P extends java.security.Provider { final Service own; P() { super(\"P\", \"1\", \"\"); putService(own = new Service(this, \"My\", \"Own\", \"$D$K\", null, null)); } }",
        "if (h == null) new K(new Object[] { other }); new P().own.newInstance(new Object[] { h });",
    ),
    (
        "a managed object that is instantiated",
        "public static class K { public K(Object o) { seen(o); } }",
        "if (h == null) new K(other); javax.management.MBeanServerFactory.newMBeanServer().instantiate(\"$D$K\", new Object[] { h }, new String[] { \"java.lang.Object\" });",
    ),
    (
        "a managed object that is created",
        "public interface KMBean { } public static class K implements KMBean { public K(Object o) { seen(o); } }",
        "if (h == null) new K(other); javax.management.MBeanServerConnection s = javax.management.MBeanServerFactory.newMBeanServer(); s.createMBean(\"$D$K\", new javax.management.ObjectName(\"d:type=K\"), new Object[] { h }, new String[] { \"java.lang.Object\" });",
    ),
    (
        "a proxy of a managed object",
        "public interface KMBean { void take(Object o); } public static class K implements KMBean { public void take(Object o) { seen(o); } } public interface Q { void take(Object o); } static class Z implements Q { public void take(Object o) { } }",
        "if (h == null) { new Z().take(other); new K().take(other); } var s = javax.management.MBeanServerFactory.newMBeanServer(); var n = new javax.management.ObjectName(\"d:type=K\"); s.registerMBean(new K(), n); javax.management.JMX.newMBeanProxy(s, n, Q.class).take(h);",
    ),
    (
        "a proxy of an invocation handler of managed objects",
        "public interface KMBean { void take(Object o); } public static class K implements KMBean { public void take(Object o) { seen(o); } } public interface Q { void take(Object o); } static class Z implements Q { public void take(Object o) { } }",
        "if (h == null) { new Z().take(other); new K().take(other); } var s = javax.management.MBeanServerFactory.newMBeanServer(); var n = new javax.management.ObjectName(\"d:type=K\"); s.registerMBean(new K(), n); ((Q) javax.management.MBeanServerInvocationHandler.newProxyInstance(s, n, Q.class, false)).take(h);",
    ),
    (
        "a method of a set of events",
        "public interface L extends EventListener { void take(Object o); } public static class K implements L { public void take(Object o) { seen(o); } } public static class S { public void addL(L l) { } public void removeL(L l) { } }",
        "K k = new K(); if (h == null) k.take(other); new java.beans.EventSetDescriptor(S.class, \"x\", L.class, new String[] { \"take\" }, \"addL\", \"removeL\").getListenerMethods()[0].invoke(k, h);",
    ),
    (
        "an encoder of beans that reads public fields",
        "public static class K { public Object o; }",
        "K k = new K(); k.o = h; var e = new java.beans.XMLEncoder(new ByteArrayOutputStream()); e.setPersistenceDelegate(h.getClass(), new java.beans.PersistenceDelegate() { protected java.beans.Expression instantiate(Object old, java.beans.Encoder out) { seen(old); return new java.beans.Expression(old, Object.class, \"new\", null); } }); e.setExceptionListener(x -> { }); e.writeObject(k);",
    ),
    (
        "an encoder of beans that reads properties",
        "public static class K { private Object o; public K() { } public Object getO() { return o; } public void setO(Object o) { this.o = o; } }",
        "K k = new K(); k.o = h; var e = new java.beans.XMLEncoder(new ByteArrayOutputStream()); e.setPersistenceDelegate(h.getClass(), new java.beans.PersistenceDelegate() { protected java.beans.Expression instantiate(Object old, java.beans.Encoder out) { seen(old); return new java.beans.Expression(old, Object.class, \"new\", null); } }); e.setExceptionListener(x -> { }); e.writeObject(k);",
    ),
    (
        "a handback of a notification",
        "",
        "var b = new javax.management.NotificationBroadcasterSupport(); b.addNotificationListener((n, x) -> seen(x), null, h); b.sendNotification(new javax.management.Notification(\"t\", \"s\", 1));",
    ),
    // Handles that are made of handles.
    (
        "a handle behind an interface",
        "",
        "((Consumer) MethodHandleProxies.asInterfaceInstance(Consumer.class, MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class)))).accept(h);",
    ),
    (
        "a lambda that is made by hand",
        "",
        "var l3 = MethodHandles.lookup(); var t = MethodType.methodType(void.class, Object.class); var s = LambdaMetafactory.metafactory(l3, \"accept\", MethodType.methodType(Consumer.class), t, l3.findStatic($D.class, \"seen\", t), t); ((Consumer) s.getTarget().invoke()).accept(h);",
    ),
    (
        "a handle of a call site",
        "",
        "new MutableCallSite(MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class))).dynamicInvoker().invoke(h);",
    ),
    (
        "a handle that filters results",
        "",
        "MethodHandles.filterReturnValue(MethodHandles.constant(Object.class, h), MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class))).invoke();",
    ),
    (
        "an invoker of handles",
        "",
        "var t = MethodType.methodType(void.class, Object.class); MethodHandles.exactInvoker(t).invoke(MethodHandles.lookup().findStatic($D.class, \"seen\", t), h);",
    ),
    (
        "a handle that spreads an array",
        "",
        "MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class)).asSpreader(Object[].class, 1).invoke(new Object[] { h });",
    ),
    (
        "a handle with a list of arguments",
        "",
        "MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class)).invokeWithArguments(Arrays.asList(h));",
    ),
    (
        "a handle that is turned into a method",
        "",
        "var l3 = MethodHandles.lookup(); var m = l3.findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class)); l3.revealDirect(m).reflectAs(Method.class, l3).invoke(null, h);",
    ),
    (
        "a handle of a loop",
        "",
        "MethodHandles.countedLoop(MethodHandles.constant(int.class, 1), null, MethodHandles.dropArguments(MethodHandles.insertArguments(MethodHandles.lookup().findStatic($D.class, \"seen\", MethodType.methodType(void.class, Object.class)), 0, h), 0, int.class)).invoke();",
    ),
    (
        "a handle of a constructor",
        "static class K { K(Object o) { seen(o); } }",
        "if (h == null) new K(other); var k = MethodHandles.lookup().findConstructor(K.class, MethodType.methodType(void.class, Object.class)).invoke(h);",
    ),
    (
        "a handle of a private method",
        "static class K { private void take(Object o) { seen(o); } }",
        "if (h == null) new K().take(other); MethodHandles.privateLookupIn(K.class, MethodHandles.lookup()).bind(new K(), \"take\", MethodType.methodType(void.class, Object.class)).invoke(h);",
    ),
    (
        "an element that a handle gets",
        "",
        "Object[] a = { h }; seen(MethodHandles.arrayElementGetter(Object[].class).invoke(a, 0));",
    ),
    (
        "a variable handle as a method handle",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; seen(MethodHandles.lookup().findVarHandle(K.class, \"o\", Object.class).toMethodHandle(VarHandle.AccessMode.GET).invoke(k));",
    ),
    (
        "a variable handle that exchanges",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; seen(MethodHandles.lookup().findVarHandle(K.class, \"o\", Object.class).getAndSet(k, null));",
    ),
    (
        "a variable handle of a field that reflection found",
        "static class K { Object o; }",
        "K k = new K(); k.o = h; seen(MethodHandles.lookup().unreflectVarHandle(K.class.getDeclaredField(\"o\")).get(k));",
    ),
    (
        "equals that the JDK makes for a class",
        "static class K { Object o; K(Object o) { this.o = o; } }",
        "var l3 = MethodHandles.lookup(); var s = (CallSite) java.lang.runtime.ObjectMethods.bootstrap(l3, \"equals\", MethodType.methodType(boolean.class, K.class, Object.class), K.class, \"o\", l3.findGetter(K.class, \"o\", Object.class)); s.getTarget().invoke(new K(new E()), new K(h));",
    ),
    // Records, enumerations, inner classes.
    (
        "a record as a key",
        "record Pair(Object one) { public int hashCode() { return 1; } }",
        "Map m = new HashMap(); m.put(new Pair(h), 1); m.get(new Pair(new E()));",
    ),
    (
        "a record in an array",
        "record Pair(Object one) { }",
        "Arrays.equals(new Object[] { new Pair(new E()) }, new Object[] { new Pair(h) });",
    ),
    (
        "equals of a record by a reference",
        "record Pair(Object one) { }",
        "BiPredicate p = Object::equals; p.test(new Pair(new E()), new Pair(h));",
    ),
    (
        "a record that is generic and compares",
        "record Pair<T extends Comparable>(T one) implements Comparable<Pair<T>> { public int compareTo(Pair<T> p) { return one.compareTo(p.one()); } } static class K implements Comparable { Object o; public int compareTo(Object p) { if (((K) p).o != null) seen(((K) p).o); return 0; } }",
        "K k = new K(); k.o = h; Object[] a = { new Pair(new K()), new Pair(k) }; Arrays.sort(a); Arrays.sort(new Object[] { a[1], a[0] });",
    ),
    (
        "a constant with a body",
        "enum N { ONE { Object same(Object o) { return o; } }; abstract Object same(Object o); }",
        "seen(((N) N.class.getEnumConstants()[0]).same(h));",
    ),
    (
        "a constant that is a function",
        "enum N implements Function { ONE; public Object apply(Object o) { seen(o); return o; } }",
        "Optional.of(h).map(Enum.valueOf(N.class, \"ONE\"));",
    ),
    (
        "an inner class that is a collection",
        "static class Out { Object o; class In extends AbstractList { public int size() { return 1; } public Object get(int n) { return o; } } }",
        "Out k = new Out(); k.o = h; for (Object o : k.new In()) seen(o);",
    ),
    // Arrays.
    (
        "Arrays.equals with a comparator",
        "",
        "Object[] a = { h }, b = { h }; Arrays.equals(a, b, (p, q) -> { seen(q); return 0; });",
    ),
    (
        "Arrays.compare with a comparator",
        "",
        "Object[] a = { 1 }, b = { h }; Arrays.compare(a, b, (p, q) -> { seen(q); return 0; });",
    ),
    (
        "Arrays.mismatch with a comparator",
        "",
        "Object[] a = { 1 }, b = { h }; Arrays.mismatch(a, b, (p, q) -> { seen(q); return 0; });",
    ),
    (
        "Arrays.parallelPrefix",
        "",
        "Object[] a = { 1, h }; Arrays.parallelPrefix(a, (p, q) -> { seen(q); return q; });",
    ),
    (
        "Arrays.parallelSort",
        "",
        "Object[] a = { h, h }; Arrays.parallelSort(a, (p, q) -> { seen(q); return 0; });",
    ),
    (
        "Arrays.parallelSetAll",
        "",
        "Object[] a = new Object[2]; Arrays.parallelSetAll(a, n -> h); seen(a[1]);",
    ),
    (
        "Arrays.binarySearch",
        "",
        "Object[] a = { 1 }; Arrays.binarySearch(a, h, (p, q) -> { seen(q); return 0; });",
    ),
    (
        "Arrays.copyOfRange",
        "",
        "Object[] a = { 1, h }; seen(Arrays.copyOfRange(a, 1, 2, Object[].class)[0]);",
    ),
    ("indexOf of Arrays.asList", "", "Object[] a = { h }; Arrays.asList(a).indexOf(new E());"),
    (
        "an array of arrays that is copied",
        "",
        "Object[][] a = { { h } }, b = new Object[1][]; System.arraycopy(a, 0, b, 0, 1); seen(Arrays.copyOf(b, 2)[0][0]);",
    ),
    (
        "an array that reflection makes",
        "",
        "Object[] a = (Object[]) Array.newInstance(Object.class, 1); a[0] = h; seen(Array.get(a, 0));",
    ),
    (
        "an array of arrays that reflection makes",
        "",
        "Object[][] a = (Object[][]) Array.newInstance(Object.class, 1, 1); a[0][0] = h; seen(a[0][0]);",
    ),
    (
        "a variable number of arguments",
        "static Object[] all(Object... a) { return a; }",
        "seen(all(1, h)[1]);",
    ),
    (
        "an array that toArray makes",
        "",
        boxed!("ArrayList", "Object[] a = { 1 }; b.toArray(n -> a); seen(a[0]);"),
    ),
    ("Class.cast", "", "seen(Object.class.cast(h));"),
    // Entries and views of maps.
    (
        "an entry that is copied",
        "",
        "Map m = new HashMap(); m.put(1, h); seen(new AbstractMap.SimpleEntry((Map.Entry) m.entrySet().iterator().next()).getValue());",
    ),
    (
        "an entry that is frozen",
        "",
        "Map m = new TreeMap(); m.put(1, h); seen(Map.Entry.copyOf((Map.Entry) m.entrySet().iterator().next()).getValue());",
    ),
    (
        "an entry that outlives its map",
        "",
        "Map m = new HashMap(); m.put(1, h); Map.Entry e = (Map.Entry) m.entrySet().iterator().next(); m.clear(); seen(e.getValue());",
    ),
    (
        "an entry that writes through",
        "",
        "Map m = new ConcurrentHashMap(); m.put(1, 1); for (Object e : m.entrySet()) ((Map.Entry) e).setValue(h); seen(m.get(1));",
    ),
    (
        "an entry of an array that writes through",
        "",
        "Map m = new HashMap(); m.put(1, 1); ((Map.Entry) m.entrySet().toArray()[0]).setValue(h); seen(m.get(1));",
    ),
    (
        "an entry of a stream that writes through",
        "",
        "Map m = new TreeMap(); m.put(1, 1); m.entrySet().stream().forEach(e -> ((Map.Entry) e).setValue(h)); seen(m.get(1));",
    ),
    (
        "an entry that a map polls",
        "",
        "TreeMap m = new TreeMap(); m.put(1, h); seen(m.pollFirstEntry().getValue());",
    ),
    (
        "the ceiling of a map",
        "",
        "var m = new ConcurrentSkipListMap(); m.put(1, h); seen(m.ceilingEntry(0).getValue());",
    ),
    (
        "entries of a wrapper of entries",
        "",
        "Map m = new HashMap(); m.put(1, h); for (Object e : Collections.unmodifiableMap(m).entrySet()) seen(((Map.Entry) e).getValue());",
    ),
    (
        "an entry that is removed by an equal one",
        "",
        "Map m = new HashMap(); m.put(1, h); m.entrySet().remove(new AbstractMap.SimpleEntry(1, new E()));",
    ),
    (
        "an entry that is contained",
        "",
        "Map m = new LinkedHashMap(); m.put(1, new E()); m.entrySet().contains(Map.entry(1, h));",
    ),
    (
        "values that are compared",
        "",
        "Map.Entry.comparingByValue((Comparator) (p, q) -> { seen(q); return 0; }).compare(Map.entry(1, 1), Map.entry(1, h));",
    ),
    (
        "values that are filtered",
        "",
        "Map m = new IdentityHashMap(); m.put(1, h); m.values().removeIf(o -> { seen(o); return false; });",
    ),
    (
        "values of a checked map",
        "",
        "Map m = new HashMap(); m.put(1, h); seen(Collections.checkedMap(m, Object.class, Object.class).values().iterator().next());",
    ),
    (
        "a map that wraps a map",
        "",
        "Map m = new HashMap(); m.put(\"k\", h); Map w = new javax.script.SimpleBindings(m); seen(w.values().iterator().next());",
    ),
    (
        "a default value of a map of the program",
        "static class M extends AbstractMap { public Set entrySet() { return new HashSet(); } public Object put(Object k, Object v) { seen(v); return null; } }",
        "new M().putIfAbsent(1, h);",
    ),
    (
        "a merged value of a map of the program",
        "static class M extends AbstractMap { public Set entrySet() { return new HashSet(); } public Object put(Object k, Object v) { seen(v); return null; } }",
        "Map m = new M(); m.merge(1, h, (p, q) -> q);",
    ),
    (
        "a replaced value of an entry of the program",
        "static class N implements Map.Entry { public Object getKey() { return 1; } public Object getValue() { return 1; } public Object setValue(Object v) { seen(v); return 1; } } static class M extends AbstractMap { public Set entrySet() { return Collections.singleton(new N()); } }",
        "Map m = new M(); m.replaceAll((k, v) -> h);",
    ),
    // Collections of the program.
    (
        "an element that a list of the program adds",
        "static class C extends AbstractList { public int size() { return 0; } public Object get(int n) { return null; } public void add(int n, Object o) { seen(o); } }",
        "new C().add(h);",
    ),
    (
        "an element that an iterator over a list of the program sets",
        "static class C extends AbstractList { public int size() { return 1; } public Object get(int n) { return null; } public Object set(int n, Object o) { seen(o); return null; } }",
        "ListIterator k = new C().listIterator(); k.next(); k.set(h);",
    ),
    (
        "an element that a part of a list of the program adds",
        "static class C extends AbstractList { public int size() { return 1; } public Object get(int n) { return null; } public void add(int n, Object o) { seen(o); } }",
        "new C().subList(0, 1).add(h);",
    ),
    (
        "elements that are filled into a list of the program",
        "static class C extends AbstractList { public int size() { return 1; } public Object get(int n) { return null; } public Object set(int n, Object o) { seen(o); return null; } }",
        "Collections.fill(new C(), h);",
    ),
    (
        "elements that are swapped in a list of the program",
        "static class C extends ArrayList { public Object set(int n, Object o) { seen(o); return super.set(n, o); } }",
        "C c = new C(); c.add(h); c.add(h); Collections.swap(c, 0, 1);",
    ),
    (
        "an element that a stack of the program adds",
        "static class C extends Stack { public void addElement(Object o) { seen(o); } }",
        "new C().push(h);",
    ),
    (
        "an element that a deque of the program adds",
        "static class C extends LinkedList { public void addFirst(Object o) { seen(o); } }",
        "Deque c = new C(); c.push(h);",
    ),
    (
        "an element that a queue of the program offers",
        "static class C extends AbstractQueue { public int size() { return 0; } public Iterator iterator() { return null; } public Object poll() { return null; } public Object peek() { return null; } public boolean offer(Object o) { seen(o); return true; } }",
        "Queue c = new C(); c.add(h);",
    ),
    (
        "a collection of the program that gets a reference to a deque",
        "static class C extends ArrayList { public void forEach(Consumer f) { f.accept(held); } static Object held; }",
        "C.held = h; var d = new ArrayDeque(); d.addAll(new C()); if (d.isEmpty()) d.add(h); seen(d.peek());",
    ),
    (
        "a wrapped sorted set that is asked for equality",
        "static class S extends HashSet { public boolean containsAll(Collection c) { seen(c.iterator().next()); return false; } public int size() { return 1; } public boolean contains(Object o) { return true; } }",
        "var s = new ConcurrentSkipListSet((p, q) -> p == q ? 0 : 1); s.add(h); class W extends S { public Iterator iterator() { return List.of(h).iterator(); } } Collections.unmodifiableSet(s).equals(new W());",
    ),
    // Iterators.
    (
        "an iterable that is a lambda",
        "",
        "Iterable k = () -> List.of(h).iterator(); for (Object o : k) seen(o);",
    ),
    (
        "an iterator of the program in a stream",
        "",
        "Iterator k = new Iterator() { boolean done; public boolean hasNext() { return !done; } public Object next() { done = true; return h; } }; StreamSupport.stream(Spliterators.spliteratorUnknownSize(k, 0), false).forEach($D::seen);",
    ),
    (
        "the rest of an iterator of the program",
        "",
        "Iterator k = new Iterator() { boolean done; public boolean hasNext() { return !done; } public Object next() { done = true; return h; } }; k.forEachRemaining($D::seen);",
    ),
    (
        "an enumeration as an iterator",
        "",
        boxed!("Vector", "seen(b.elements().asIterator().next());"),
    ),
    (
        "an iterable's spliterator",
        "",
        "Iterable k = () -> List.of(h).iterator(); k.spliterator().tryAdvance($D::seen);",
    ),
    // Streams and collectors.
    (
        "toMap",
        "",
        "Stream.of(h, h).collect(Collectors.toMap(x -> 1, x -> x, (p, q) -> { seen(p); return q; }));",
    ),
    (
        "partitioningBy",
        "",
        "seen(((List) Stream.of(h).collect(Collectors.partitioningBy(x -> true)).get(true)).get(0));",
    ),
    (
        "collectingAndThen",
        "",
        "Stream.of(h).collect(Collectors.collectingAndThen(Collectors.toList(), x -> { seen(x.get(0)); return x; }));",
    ),
    ("maxBy", "", "seen(Stream.of(h).collect(Collectors.maxBy((p, q) -> 0)).get());"),
    ("reducing", "", "seen(Stream.of(h).collect(Collectors.reducing(null, (p, q) -> q)));"),
    (
        "toCollection",
        "",
        "seen(Stream.of(h).collect(Collectors.toCollection(ArrayList::new)).get(0));",
    ),
    ("mapMulti", "", "Stream.of(1).mapMulti((x, c) -> c.accept(h)).forEach($D::seen);"),
    ("takeWhile", "", "Stream.of(h).takeWhile(x -> { seen(x); return true; }).toList();"),
    ("Stream.concat", "", "Stream.concat(Stream.of(1), Stream.of(h)).skip(1).forEach($D::seen);"),
    ("Stream.builder", "", "Stream.builder().add(h).build().forEach($D::seen);"),
    ("mapToObj", "", "IntStream.range(0, 1).mapToObj(n -> h).forEach($D::seen);"),
    ("onClose", "", "Stream.of(1).onClose(() -> seen(h)).close();"),
    (
        "a parallel stream",
        "",
        "Collections.nCopies(99, h).parallelStream().limit(1).forEachOrdered($D::seen);",
    ),
    (
        "a combiner",
        "",
        "List b = new ArrayList(Collections.nCopies(99, 1)); b.set(98, h); Object r = b.parallelStream().reduce(null, (p, q) -> q, (p, q) -> q); seen(r);",
    ),
    (
        "a stream of a split",
        "",
        "var s = new ArrayList(Collections.nCopies(9, h)).spliterator(); s.trySplit().tryAdvance($D::seen);",
    ),
    // Tasks.
    ("a task with a result", "", "var f = new FutureTask(() -> { }, h); f.run(); seen(f.get());"),
    ("a task that is adapted", "", "seen(ForkJoinTask.adapt(() -> { }, h).invoke());"),
    (
        "a task that sets its result",
        "static class F extends FutureTask { F(Callable c) { super(c); } protected void set(Object o) { seen(o); super.set(o); } }",
        "new F(() -> h).run();",
    ),
    (
        "all tasks of an executor",
        "",
        "var e = Executors.newCachedThreadPool(); try { seen(((Future) e.invokeAll(List.of(() -> h)).get(0)).get()); } finally { e.shutdown(); }",
    ),
    (
        "what follows a task of an executor",
        "static class T extends ThreadPoolExecutor { T() { super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue()); } protected void afterExecute(Runnable r, Throwable t) { try { seen(((Future) r).get()); } catch (Exception e) { } } }",
        "var e = new T(); e.submit(() -> h); e.shutdown(); e.awaitTermination(9, TimeUnit.SECONDS);",
    ),
    (
        "a service of completed tasks",
        "",
        "var e = Executors.newCachedThreadPool(); try { var s = new ExecutorCompletionService(e); s.submit(() -> h); seen(s.take().get()); } finally { e.shutdown(); }",
    ),
    (
        "a future that handles",
        "",
        "CompletableFuture.supplyAsync(() -> h).handle((x, t) -> { seen(x); return x; }).join();",
    ),
    (
        "two futures",
        "",
        "CompletableFuture.supplyAsync(() -> h).thenCombine(CompletableFuture.supplyAsync(() -> 1), (x, y) -> { seen(x); return y; }).join();",
    ),
    (
        "any of the futures",
        "",
        "CompletableFuture.anyOf(CompletableFuture.supplyAsync(() -> h)).thenAccept($D::seen).join();",
    ),
    (
        "a future that others complete",
        "",
        "var f = new CompletableFuture(); var g = f.whenComplete((x, t) -> seen(x)); f.complete(h); g.join();",
    ),
    ("a cleaner", "", "Cleaner.create().register(new Object(), () -> seen(h)).clean();"),
    // Functions of functions.
    (
        "a reference to a constructor",
        "static class K { K(Object o) { seen(o); } }",
        "if (h == null) new K(other); Function f = K::new; f.apply(h);",
    ),
    (
        "a reference without its receiver",
        "static class K { void take(Object o) { seen(o); } }",
        "K k = new K(); if (h == null) k.take(other); BiConsumer<K, Object> f = K::take; f.accept(k, h);",
    ),
    (
        "a reference to an inherited method",
        "static class A { void take(Object o) { seen(o); } } static class K extends A { Consumer up() { return super::take; } }",
        "new K().up().accept(h);",
    ),
    (
        "a lambda of two interfaces",
        "interface I<T> { void take(T t); } interface J extends I<Object> { void take(Object o); }",
        "J f = (J & Serializable) $D::seen; ((I) f).take(h);",
    ),
    (
        "a predicate of predicates",
        "",
        "Predicate p = x -> { seen(x); return true; }; Predicate.not(p.negate().or(p)).test(h);",
    ),
    (
        "the smaller of two",
        "",
        "BinaryOperator.minBy((Comparator) (p, q) -> { seen(q); return 0; }).apply(h, h);",
    ),
    (
        "comparing with a comparator",
        "",
        "Comparator.comparing(x -> x, Comparator.nullsFirst((Comparator) (p, q) -> { seen(q); return 0; })).compare(h, h);",
    ),
    // Streams of objects.
    (
        "a stream that writes by itself",
        "static class O extends ObjectOutputStream { O() throws IOException { } protected void writeObjectOverride(Object o) { seen(o); } }",
        "new O().writeObject(h);",
    ),
    (
        "a validation of what is read",
        "static Object held; static class K implements Serializable { private void readObject(ObjectInputStream in) throws Exception { in.registerValidation(() -> seen(held), 0); } }",
        "held = h; var to = new ByteArrayOutputStream(); new ObjectOutputStream(to).writeObject(new K()); new ObjectInputStream(new ByteArrayInputStream(to.toByteArray())).readObject();",
    ),
];
