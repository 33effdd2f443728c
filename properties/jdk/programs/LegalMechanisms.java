import java.io.*;
import java.lang.reflect.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.*;
import java.text.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.jar.*;
import java.util.regex.*;
import java.util.stream.*;
import java.util.zip.*;
import javax.crypto.*;
import javax.crypto.spec.*;

/** Legal uses of many parts of the JDK: what threads, streams, wrappers, signatures and files do on their own. */
final class LegalMechanisms {
    static Path file() throws IOException { Path path = Files.createTempFile("mech", ".txt"); path.toFile().deleteOnExit(); return Files.writeString(path, "one\ntwo\n"); }
    static List<Integer> some() { return new ArrayList<>(List.of(1, 2, 3, 4)); }
    static void inThread(Runnable body) throws InterruptedException { Thread t = new Thread(body); t.start(); t.join(); }

    // threads
    static void runOfSuperInLambda() throws Exception { class W extends Thread { @Override public void run() { Runnable r = () -> super.run(); r.run(); } } Thread t = new W(); t.start(); t.join(); }
    static void runOfSuperByReference() throws Exception { class W extends Thread { @Override public void run() { Runnable r = super::run; r.run(); } } Thread t = new W(); t.start(); t.join(); }
    static void runOfSuperInHelper() throws Exception { class W extends Thread { W(Runnable r) { super(r); } @Override public void run() { timed(); } void timed() { super.run(); } } Thread t = new W(() -> { }); t.start(); t.join(); }
    static void threadAsTask() throws Exception { ExecutorService e = Executors.newSingleThreadExecutor(); e.submit(new Thread(() -> { })).get(); e.shutdown(); }
    static void timerAfterEmpty() throws Exception { Timer t = new Timer(true); t.purge(); t.schedule(new TimerTask() { public void run() { cancel(); } }, 0); Thread.sleep(20); t.cancel(); t.cancel(); }

    // synchronised wrappers
    static void nestedToString() { List<Object> l = Collections.synchronizedList(new ArrayList<>()); l.add(new Object() { public String toString() { String s = ""; for (Object x : l) s += x == this ? "me" : x; return s; } }); l.toString(); }
    static void nestedEquals() { List<Object> l = Collections.synchronizedList(new ArrayList<>()); l.add("a"); l.contains(new Object() { public int hashCode() { return 1; } public boolean equals(Object o) { for (Object x : l) { } return false; } }); }
    static void nestedHashCode() { List<Object> l = Collections.synchronizedList(new ArrayList<>()); l.add(new Object() { public int hashCode() { int n = 0; for (Object x : l) n++; return n; } }); l.hashCode(); }
    static void nestedMapToString() { Map<Object, Object> m = Collections.synchronizedMap(new HashMap<>()); m.put(1, new Object() { public String toString() { int n = 0; for (Object k : m.keySet()) n++; return "" + n; } }); m.toString(); }
    static void nestedMapGet() { Map<Object, Object> m = Collections.synchronizedMap(new TreeMap<>((a, b) -> a.hashCode() - b.hashCode())); m.put(new Object() { public int hashCode() { for (Object v : m.values()) { } return 3; } }, 1); m.put(4, 2); }
    static void nestedAddAll() { List<Object> l = Collections.synchronizedList(new ArrayList<>(List.of(1))); l.addAll(new AbstractList<Object>() { public Object get(int i) { for (Object x : l) { } return i; } public int size() { return 2; } }); }
    static void lockedByLibrary() { List<Integer> l = Collections.synchronizedList(some()); Object lock = l; synchronized (lock) { Iterator<Integer> i = l.iterator(); while (i.hasNext()) i.next(); } }
    static void lockedSubList() { List<Integer> l = Collections.synchronizedList(some()); List<Integer> s = l.subList(0, 2); synchronized (l) { for (int x : s) x++; } }
    static void lockedByWait() throws Exception { List<Integer> l = Collections.synchronizedList(some()); synchronized (l) { Thread t = new Thread(() -> { synchronized (l) { l.notifyAll(); } }); t.start(); l.wait(2000); for (int x : l) x++; t.join(); } }
    static void lockedMapTwice() { Map<Integer, Integer> m = Collections.synchronizedMap(new HashMap<>(Map.of(1, 1))); synchronized (m) { for (int k : m.keySet()) for (int v : m.values()) v += k; } }
    static void lockedByMethod() { class Own { final Set<Integer> s = Collections.synchronizedSet(new HashSet<>(List.of(1, 2))); } Own o = new Own(); synchronized (o.s) { o.s.stream().mapToInt(x -> x).sum(); } }
    static void lockFails() { List<Integer> l = Collections.synchronizedList(some()); try { synchronized (l) { for (int x : l) if (x == 2) throw new IllegalStateException(); } } catch (IllegalStateException e) { } synchronized (l) { for (int x : l) x++; } }

    // streams
    static void unorderedCollector() { Set<Integer> s = new HashSet<>(some()); Stream<Integer> t = s.stream().unordered(); try { t.unordered().collect(Collectors.toMap(x -> 1, x -> x)); } catch (IllegalStateException e) { } }
    static void collectDuplicate() { try { some().stream().collect(Collectors.toMap(x -> 1, x -> x)); } catch (IllegalStateException e) { } }
    static void sequentialSame() { Stream<Integer> s = some().stream(); s.parallel(); s.sequential(); s.onClose(() -> { }); s.count(); }
    static void closeTwice() { Stream<Integer> s = some().stream(); s.count(); s.close(); s.close(); }
    static void onCloseThrows() { Stream<Integer> s = some().stream().onClose(() -> { throw new IllegalStateException("mine"); }); s.count(); try { s.close(); } catch (IllegalStateException e) { } }
    static void flatMapLines() throws Exception { Path f = file(); Stream.of(f, f).flatMap(p -> { try { return Files.lines(p); } catch (IOException e) { throw new UncheckedIOException(e); } }).count(); System.gc(); }
    static void concatLines() throws Exception { try (Stream<String> s = Stream.concat(Files.lines(file()), Files.lines(file()))) { s.count(); } System.gc(); }
    static void lateBinding() { List<Integer> l = some(); Stream<Integer> s = l.stream(); l.add(5); s.count(); Spliterator<Integer> p = l.spliterator(); l.add(6); p.forEachRemaining(x -> { }); }
    static void iteratorOfStream() { Iterator<Integer> i = some().stream().iterator(); while (i.hasNext()) i.next(); IntStream.range(0, 2).iterator().nextInt(); }
    static void functionFails() { try { some().forEach(x -> { throw new ConcurrentModificationException("mine"); }); } catch (ConcurrentModificationException e) { } }
    static void functionFailsInStream() { try { some().stream().map(x -> { if (x > 1) throw new ConcurrentModificationException("mine"); return x; }).count(); some().stream().peek(x -> { throw new NoSuchElementException(); }).forEach(x -> { }); } catch (RuntimeException e) { } }

    // writers
    static void closedByReflection() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); Writer.class.getMethod("close").invoke(w); }
    static void closedByHandle() throws Throwable { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); java.lang.invoke.MethodHandles.lookup().findVirtual(Writer.class, "flush", java.lang.invoke.MethodType.methodType(void.class)).invoke(w); }
    static void closedInList() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); for (Object o : new Object[] {w}) ((Writer) o).close(); }
    static void closedInMap() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); Map<String, Writer> m = new HashMap<>(); m.put("a", w); m.values().forEach(x -> { try { x.close(); } catch (IOException e) { } }); }
    static void closedByFuture() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); CompletableFuture.completedFuture(w).thenAccept(x -> { try { x.flush(); } catch (IOException e) { } }).join(); }
    static void closedByOnClose() throws Exception { Writer w = new BufferedWriter(new StringWriter()); w.write("x"); try (Stream<Integer> s = Stream.of(1).onClose(() -> { try { w.close(); } catch (IOException e) { } })) { s.count(); } }
    static void formatted() throws Exception { Writer w = new BufferedWriter(new StringWriter()); new Formatter(w).format("%d", 1).close(); }
    static void gzipThroughPrint() throws Exception { GZIPOutputStream g = new GZIPOutputStream(new ByteArrayOutputStream()); try (PrintStream p = new PrintStream(g)) { p.print("x"); } }
    static void writerOfMatcher() throws Exception { Writer w = new OutputStreamWriter(new ByteArrayOutputStream()); w.write("x"); w.flush(); w.write("y"); w.flush(); w.close(); w.close(); }

    // never closed
    static void closedThroughHandle() throws Throwable { InputStream in = new FileInputStream(file().toFile()); java.lang.invoke.MethodHandles.lookup().findVirtual(InputStream.class, "close", java.lang.invoke.MethodType.methodType(void.class)).invoke(in); in = null; System.gc(); }
    static void closedByLineIterator() throws Exception { try (BufferedReader r = new BufferedReader(new InputStreamReader(new FileInputStream(file().toFile())))) { r.lines().count(); } System.gc(); }
    static void closedSequence() throws Exception { new SequenceInputStream(new FileInputStream(file().toFile()), new FileInputStream(file().toFile())).close(); System.gc(); }
    static void sequenceReadToEnd() throws Exception { InputStream s = new SequenceInputStream(new FileInputStream(file().toFile()), new FileInputStream(file().toFile())); s.readAllBytes(); System.gc(); }
    static void scannerOverReadable() throws Exception { Scanner s = new Scanner(file()); s.nextLine(); s.close(); s.close(); System.gc(); }
    static void channelOfStream() throws Exception { FileChannel c = new FileInputStream(file().toFile()).getChannel(); c.close(); System.gc(); }
    static void streamOfChannel() throws Exception { InputStream in = Channels.newInputStream(FileChannel.open(file())); in.close(); System.gc(); }
    static void mapped() throws Exception { MappedByteBuffer b; try (FileChannel c = FileChannel.open(file())) { b = c.map(FileChannel.MapMode.READ_ONLY, 0, 3); } b.get(); b.load(); b.duplicate().get(); b.slice().rewind(); }
    static void zipEntryStream() throws Exception { Path p = Files.createTempFile("mech", ".zip"); try (ZipOutputStream z = new ZipOutputStream(Files.newOutputStream(p))) { z.putNextEntry(new ZipEntry("a")); z.write(1); z.closeEntry(); z.putNextEntry(new ZipEntry("b/")); z.closeEntry(); } try (ZipFile z = new ZipFile(p.toFile()); InputStream in = z.getInputStream(z.getEntry("a"))) { in.read(); in.read(); in.available(); } try (FileSystem f = FileSystems.newFileSystem(p)) { Files.readAllBytes(f.getPath("a")); } try (JarFile j = new JarFile(p.toFile())) { j.stream().count(); j.getManifest(); } System.gc(); }
    static void finalizerCloses() throws Exception { class Holder { final InputStream in; Holder() throws Exception { in = new FileInputStream(file().toFile()); } @Override @SuppressWarnings({"deprecation", "removal"}) protected void finalize() throws Exception { in.close(); } } new Holder(); for (int i = 0; i < 3; i++) { System.gc(); System.runFinalization(); } }
    static void cleanerCloses() throws Exception { InputStream in = new FileInputStream(file().toFile()); java.lang.ref.Cleaner c = java.lang.ref.Cleaner.create(); Object o = new Object(); c.register(o, () -> { try { in.close(); } catch (IOException e) { } }); o = null; for (int i = 0; i < 3; i++) { System.gc(); Thread.sleep(20); } }
    static void serverSockets() throws Exception { try (ServerSocket s = new ServerSocket(0); Socket a = new Socket("localhost", s.getLocalPort()); Socket b = s.accept()) { b.getOutputStream().write(1); a.getInputStream().read(); } System.gc(); }
    static void connectFails() throws Exception { int port; try (ServerSocket s = new ServerSocket(0)) { port = s.getLocalPort(); } try { new Socket("localhost", port); } catch (IOException e) { } Socket t = new Socket(); try { t.connect(new InetSocketAddress("localhost", port)); } catch (IOException e) { } System.gc(); }

    // closed without effect
    static class Shield extends FilterInputStream { Shield(InputStream in) { super(in); } @Override public void close() { } }
    static void shieldedFault() throws Exception { try (InputStream mem = new FileInputStream("/proc/self/mem")) { InputStream s = new Shield(mem); s.close(); try { s.read(); } catch (IOException e) { if (!"Input/output error".equals(e.getMessage())) throw e; } } }
    static class Recycled extends FilterOutputStream { Recycled(OutputStream o) { super(o); } @Override public void close() throws IOException { flush(); } }
    static void shieldedFull() throws Exception { OutputStream full = new FileOutputStream("/dev/full"); OutputStream s = new Recycled(full); s.close(); try { s.write(1); } catch (IOException e) { if (e.getMessage().contains("losed")) throw e; } full.close(); }
    static void readerOfShield() throws Exception { try (InputStream mem = new FileInputStream("/proc/self/mem")) { Reader r = new InputStreamReader(mem) { @Override public void close() { } }; r.close(); try { r.read(); } catch (IOException e) { if (!"Input/output error".equals(e.getMessage())) throw e; } } }
    static void randomFault() throws Exception { RandomAccessFile f = new RandomAccessFile("/proc/self/mem", "r") { @Override public void close() { } }; f.close(); try { f.read(); } catch (IOException e) { } f.getChannel().close(); }
    static void markFault() throws Exception { InputStream b = new BufferedInputStream(new ByteArrayInputStream(new byte[9])); b.mark(3); b.read(); b.reset(); b.close(); }

    // security
    static void verifyWrongLength() throws Exception { KeyPairGenerator g = KeyPairGenerator.getInstance("RSA"); g.initialize(1024); KeyPair k = g.generateKeyPair(); Signature s = Signature.getInstance("SHA256withRSA"); s.initVerify(k.getPublic()); s.update((byte) 1); try { s.verify(new byte[3]); } catch (SignatureException e) { } }
    static void verifyInitByReflection() throws Exception { KeyPairGenerator g = KeyPairGenerator.getInstance("RSA"); g.initialize(1024); KeyPair k = g.generateKeyPair(); Signature s = Signature.getInstance("SHA256withRSA"); Signature.class.getMethod("initVerify", PublicKey.class).invoke(s, k.getPublic()); try { s.verify(new byte[3]); } catch (SignatureException e) { } }
    static void signedObject() throws Exception { KeyPairGenerator g = KeyPairGenerator.getInstance("RSA"); g.initialize(1024); KeyPair k = g.generateKeyPair(); Signature s = Signature.getInstance("SHA256withRSA"); SignedObject o = new SignedObject("x", k.getPrivate(), s); Signature v = Signature.getInstance("SHA256withRSA"); o.verify(k.getPublic(), v); try { v.verify(new byte[2]); } catch (SignatureException e) { } }
    static void macReinit() throws Exception { Mac m = Mac.getInstance("HmacSHA256"); m.init(new SecretKeySpec(new byte[16], "x")); m.doFinal(); m.update((byte) 1); m.doFinal(); m.reset(); Mac n = (Mac) m.clone(); n.doFinal(); }
    static void cipherStreams() throws Exception { Cipher c = Cipher.getInstance("AES/CBC/PKCS5Padding"); c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(new byte[16])); ByteArrayOutputStream b = new ByteArrayOutputStream(); try (CipherOutputStream o = new CipherOutputStream(b, c)) { o.write(new byte[20]); } c.init(Cipher.DECRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(new byte[16])); try (CipherInputStream i = new CipherInputStream(new ByteArrayInputStream(b.toByteArray()), c)) { if (i.readAllBytes().length != 20) throw new AssertionError(); } NullCipher n = new NullCipher(); n.doFinal(new byte[1]); }
    static void keyStore() throws Exception { KeyStore k = KeyStore.getInstance("PKCS12"); k.load(null, null); k.size(); k.aliases().hasMoreElements(); SecureRandom r = new SecureRandom(); r.nextInt(); MessageDigest d = MessageDigest.getInstance("SHA-1"); d.update((byte) 1); d.digest(); d.digest(); try (DigestInputStream in = new DigestInputStream(new ByteArrayInputStream(new byte[3]), d)) { in.readAllBytes(); in.on(false); } }

    // collections
    static void accessOrderGet() { LinkedHashMap<Integer, Integer> m = new LinkedHashMap<>(16, 1, true); m.put(1, 1); m.put(2, 2); for (Map.Entry<Integer, Integer> e : m.entrySet()) e.setValue(e.getValue() + 1); for (Integer k : new ArrayList<>(m.keySet())) m.get(k); }
    static void weakMapIteration() { Map<Object, Integer> m = new WeakHashMap<>(); List<Object> keep = new ArrayList<>(); for (int i = 0; i < 50; i++) { Object o = new Object(); if (i % 2 == 0) keep.add(o); m.put(o, i); } int n = 0; for (Object o : m.keySet()) { n++; if (n == 5) System.gc(); } if (keep.size() != 25) throw new AssertionError(); }
    static void identityMap() { Map<Object, Integer> m = new IdentityHashMap<>(Map.of("a", 1, "b", 2)); for (Iterator<Map.Entry<Object, Integer>> i = m.entrySet().iterator(); i.hasNext();) { i.next().setValue(3); i.remove(); } }
    static void priorityQueueSelf() { PriorityQueue<Integer> q = new PriorityQueue<>(some()); for (Iterator<Integer> i = q.iterator(); i.hasNext();) if (i.next() % 2 == 0) i.remove(); }
    static void subListEdit() { List<Integer> l = some(), s = l.subList(1, 3); s.add(9); s.clear(); l.set(0, 5); s.size(); l.subList(0, 1).sort(null); for (int x : s) x++; }
    static void checkedCollections() { List<Integer> l = Collections.checkedList(some(), Integer.class); for (Iterator<Integer> i = l.iterator(); i.hasNext();) { i.next(); i.remove(); } l.add(1); Queue<Integer> q = Collections.asLifoQueue(new ArrayDeque<>(some())); q.poll(); for (int x : q) x++; Set<Integer> n = Collections.newSetFromMap(new ConcurrentHashMap<>()); n.add(1); for (int x : n) n.add(x + 1 > 3 ? 1 : x + 1); }
    static void emptyIterators() { Iterator<Integer> i = Collections.emptyIterator(); i.hasNext(); i.forEachRemaining(x -> { }); Enumeration<Integer> e = Collections.emptyEnumeration(); e.hasMoreElements(); e.asIterator().hasNext(); ListIterator<Integer> l = Collections.<Integer>emptyList().listIterator(); l.hasPrevious(); }
    static void ownIterator() { Iterator<Integer> i = new Iterator<>() { int n; public boolean hasNext() { return false; } public Integer next() { return n++; } }; i.hasNext(); i.next(); i.next(); }
    static void peekedIterator() { Iterator<Integer> i = some().iterator(); Iterator<Integer> p = new Iterator<>() { Integer x; public boolean hasNext() { return x != null || i.hasNext(); } public Integer next() { if (x != null) { Integer y = x; x = null; return y; } return i.next(); } public void remove() { i.remove(); } }; while (p.hasNext()) { p.next(); p.remove(); } }
    static void resourceBundles() { ResourceBundle b = new ListResourceBundle() { protected Object[][] getContents() { return new Object[][] {{"a", "b"}}; } }; b.getString("a"); for (Enumeration<String> e = b.getKeys(); e.hasMoreElements();) e.nextElement(); }
    static void properties() throws Exception { Properties p = new Properties(); p.load(new StringReader("a=1\nb=2")); for (String n : p.stringPropertyNames()) p.remove(n); p.put("x", "y"); for (Object k : p.keySet()) p.setProperty((String) k, "z"); p.forEach((k, v) -> { }); }
    static void copyWhileChanged() throws Exception { List<Integer> l = new CopyOnWriteArrayList<>(some()); for (int x : l) l.add(x); Iterator<Integer> i = l.iterator(); l.clear(); i.next(); ConcurrentSkipListMap<Integer, Integer> m = new ConcurrentSkipListMap<>(Map.of(1, 1, 2, 2)); for (int k : m.keySet()) m.remove(k); }
    static void loggingHandlers() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); java.util.logging.Handler h = new java.util.logging.StreamHandler(b, new java.util.logging.SimpleFormatter()); java.util.logging.Logger l = java.util.logging.Logger.getLogger("mech"); l.setUseParentHandlers(false); l.addHandler(h); l.info("x"); h.flush(); h.close(); l.info("y"); l.removeHandler(h); }
    static void xml() throws Exception { javax.xml.stream.XMLStreamReader r = javax.xml.stream.XMLInputFactory.newInstance().createXMLStreamReader(new StringReader("<a><b/></a>")); while (r.hasNext()) r.next(); r.close(); javax.xml.parsers.SAXParserFactory.newInstance().newSAXParser().parse(new ByteArrayInputStream("<a/>".getBytes()), new org.xml.sax.helpers.DefaultHandler()); javax.xml.stream.XMLEventReader e = javax.xml.stream.XMLInputFactory.newInstance().createXMLEventReader(new StringReader("<a/>")); while (e.hasNext()) e.nextEvent(); e.close(); }
    static void http() throws Exception { ServerSocket s = new ServerSocket(0); Thread t = new Thread(() -> { try (s; Socket c = s.accept()) { c.getInputStream().read(new byte[999]); c.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".getBytes()); } catch (IOException e) { } }); t.start(); HttpURLConnection u = (HttpURLConnection) new URL("http://localhost:" + s.getLocalPort() + "/").openConnection(); u.setRequestMethod("GET"); u.setRequestProperty("a", "b"); try (InputStream in = u.getInputStream()) { in.readAllBytes(); in.read(); } u.disconnect(); u.getResponseCode(); t.join(); }
    static void process() throws Exception { Process p = new ProcessBuilder("sh", "-c", "cat; exit 3").start(); try (OutputStream o = p.getOutputStream()) { o.write(65); } if (p.waitFor() != 3 || p.exitValue() != 3) throw new AssertionError(); p.getInputStream().readAllBytes(); p.destroy(); p.getInputStream().close(); }
    static void phaser() { Phaser p = new Phaser(1); p.register(); p.arrive(); p.arriveAndDeregister(); p.arriveAndAwaitAdvance(); p.forceTermination(); p.arrive(); p.register(); }
    static void semaphores() throws Exception { Semaphore s = new Semaphore(0); s.release(); s.acquire(); s.release(2); CyclicBarrier b = new CyclicBarrier(1); b.await(); b.reset(); b.await(); CountDownLatch l = new CountDownLatch(1); l.countDown(); l.countDown(); l.await(); StampedLock k = new StampedLock(); long t = k.tryOptimisticRead(); k.validate(t); t = k.readLock(); long w = k.tryConvertToWriteLock(t); k.unlock(w != 0 ? w : t); k.tryUnlockRead(); k.tryUnlockWrite(); }
    static void lockInOtherFrame() throws Exception { Lock l = new ReentrantLock(); Elsewhere.lock(l); l.unlock(); l.lock(); Elsewhere.unlock(l); Condition c = l.newCondition(); l.lock(); try { c.await(1, TimeUnit.MILLISECONDS); c.signal(); } finally { l.unlock(); } }
    static void preferences() throws Exception { Optional<Integer> o = Optional.of(1); o.get(); o.orElseThrow(); OptionalInt n = OptionalInt.of(2); n.getAsInt(); Optional.empty().or(() -> o).get(); }
    static void matcherState() { Matcher m = Pattern.compile("(a)(b)?").matcher("xaab"); while (m.find()) { m.group(2); m.start(); } m.reset("a"); m.matches(); m.group(); m.hitEnd(); m.requireEnd(); m.region(0, 1); m.lookingAt(); MatchResult r = m.toMatchResult(); m.reset(); r.group(); m.replaceAll("z"); }
    static void bufferViews() { ByteBuffer b = ByteBuffer.allocate(16); IntBuffer i = b.asIntBuffer(); i.put(1); b.mark(); b.position(4); b.reset(); b.putInt(1).flip(); b.getInt(); ByteBuffer r = b.asReadOnlyBuffer(); r.rewind(); r.get(); if (r.hasArray()) r.array(); b.clear(); b.slice().put((byte) 1); b.limit(2).position(1); b.compact(); }
    static void async() throws Exception { try (AsynchronousServerSocketChannel s = AsynchronousServerSocketChannel.open().bind(null)) { Future<AsynchronousSocketChannel> f = s.accept(); try (AsynchronousSocketChannel c = AsynchronousSocketChannel.open()) { c.connect(new InetSocketAddress("localhost", ((InetSocketAddress) s.getLocalAddress()).getPort())).get(); try (AsynchronousSocketChannel d = f.get()) { d.write(ByteBuffer.wrap(new byte[1])).get(); c.read(ByteBuffer.allocate(1)).get(); } } } }
    static void selectors() throws Exception { try (Selector s = Selector.open(); Pipe.SourceChannel a = pipe().source()) { a.configureBlocking(false); SelectionKey k = a.register(s, SelectionKey.OP_READ); s.selectNow(); k.cancel(); s.selectNow(); a.register(s, SelectionKey.OP_READ).isReadable(); k.isValid(); } }
    static Pipe pipe() throws IOException { Pipe p = Pipe.open(); p.sink().close(); return p; }
    static void inflaters() throws Exception { Deflater d = new Deflater(); d.setInput(new byte[9]); d.finish(); byte[] b = new byte[99]; int n = d.deflate(b); d.reset(); d.end(); d.end(); Inflater i = new Inflater(); i.setInput(b, 0, n); i.inflate(new byte[9]); i.finished(); i.end(); try (InflaterInputStream s = new InflaterInputStream(new ByteArrayInputStream(b, 0, n))) { s.readAllBytes(); } }
    static void threadLocals() throws Exception { ThreadLocal<SimpleDateFormat> t = ThreadLocal.withInitial(() -> new SimpleDateFormat("y")); ExecutorService e = Executors.newFixedThreadPool(2); List<Future<?>> all = new ArrayList<>(); for (int i = 0; i < 20; i++) all.add(e.submit(() -> t.get().format(new Date()))); for (Future<?> f : all) f.get(); e.shutdown(); e.awaitTermination(1, TimeUnit.SECONDS); }
    static void bigReferences() throws Exception { Function<List<Integer>, Iterator<Integer>> f = List::iterator; f.apply(some()).next(); Supplier<Iterator<Integer>> s = some()::iterator; s.get().next(); Function<Path, InputStream> o = p -> { try { return Files.newInputStream(p); } catch (IOException e) { throw new UncheckedIOException(e); } }; o.apply(file()).close(); }
    static void serialReference() throws Exception { @SuppressWarnings("unchecked") Function<List<Integer>, Iterator<Integer>> f = (Function<List<Integer>, Iterator<Integer>> & Serializable) List::iterator; ByteArrayOutputStream b = new ByteArrayOutputStream(); new ObjectOutputStream(b).writeObject(f); @SuppressWarnings("unchecked") Function<List<Integer>, Iterator<Integer>> g = (Function<List<Integer>, Iterator<Integer>>) new ObjectInputStream(new ByteArrayInputStream(b.toByteArray())).readObject(); g.apply(some()).next(); }
    static void formattersShared() throws Exception { NumberFormat f = NumberFormat.getInstance(); Runnable r = () -> { synchronized (f) { f.format(1); } }; Thread a = new Thread(r), b = new Thread(r); a.start(); b.start(); a.join(); b.join(); }
    static void hashSetResized() { Set<Object> s = new HashSet<>(); Object o = new Object(); s.add(o); for (int i = 0; i < 100; i++) s.add(i); s.contains(o); s.remove(3); s.contains(3); s.add(3); s.contains(o); Set<Object> t = new LinkedHashSet<>(s); t.remove(o); s.contains(o); }
    static void piped() throws Exception { PipedInputStream in = new PipedInputStream(); PipedOutputStream out = new PipedOutputStream(in); out.write(1); out.close(); in.read(); in.read(); in.close(); }
    static void pushbacks() throws Exception { PushbackReader r = new PushbackReader(new StringReader("a")); r.unread(r.read()); r.read(); r.close(); r.close(); StringReader s = new StringReader("a"); s.mark(1); s.reset(); CharArrayReader c = new CharArrayReader(new char[2]); c.reset(); LineNumberReader l = new LineNumberReader(new StringReader("a\nb")); l.mark(9); l.readLine(); l.reset(); }
    static void objectStreams() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (ObjectOutputStream o = new ObjectOutputStream(b)) { o.writeObject(new ArrayList<>(some())); o.reset(); o.writeInt(3); o.useProtocolVersion(ObjectStreamConstants.PROTOCOL_VERSION_2); } catch (IllegalStateException e) { } try (ObjectInputStream i = new ObjectInputStream(new ByteArrayInputStream(b.toByteArray()))) { i.readObject(); i.readInt(); try { i.readInt(); } catch (EOFException e) { } } }
}
