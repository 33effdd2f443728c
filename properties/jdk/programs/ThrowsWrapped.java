import java.io.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.stream.*;
import java.util.zip.*;

/** Objects below and above others: what one of them forbids, the other is asked for. */
final class ThrowsWrapped {
    static Path file() throws IOException { Path path = Files.createTempFile("wrapped", ".txt"); path.toFile().deleteOnExit(); return Files.writeString(path, "one\ntwo\nthree\n"); }
    static List<Integer> list() { return new ArrayList<>(List.of(1, 2, 3)); }
    static Map<Integer, Integer> map() { return new HashMap<>(Map.of(1, 1, 2, 2, 3, 3)); }
    static TreeMap<Integer, Integer> tree() { return new TreeMap<>(Map.of(1, 1, 2, 2, 3, 3)); }
    static Path archive() throws IOException { Path p = file(); try (ZipOutputStream z = new ZipOutputStream(Files.newOutputStream(p))) { z.putNextEntry(new ZipEntry("a")); z.write(1); z.putNextEntry(new ZipEntry("b")); } return p; }

    // Iterators of wrappers, whose collection changes.
    @Found("IteratorComodification")
    static void unmodifiableListChanges() { List<Integer> l = list(); for (int x : Collections.unmodifiableList(l)) l.add(x); }
    @Found("IteratorComodification")
    static void unmodifiableThroughListIterator() { List<Integer> l = list(); ListIterator<Integer> i = Collections.unmodifiableList(l).listIterator(); i.next(); l.clear(); i.next(); }
    @Found("IteratorComodification, SynchronizedIteration")
    static void synchronizedListChanges() { List<Integer> l = list(), s = Collections.synchronizedList(l); for (int x : s) l.remove(0); }
    @Found("IteratorComodification")
    static void checkedListChanges() { List<Integer> l = list(), s = Collections.checkedList(l, Integer.class); for (int x : s) s.add(x); }
    @Found("IteratorComodification")
    static void threeWrappers() { List<Integer> l = list(); Collection<Integer> c = Collections.unmodifiableCollection(Collections.synchronizedList(Collections.checkedList(l, Integer.class))); for (int x : c) l.add(x); }
    @Found("MapViewComodification")
    static void unmodifiableEntries() { Map<Integer, Integer> m = map(); for (Map.Entry<Integer, Integer> e : Collections.unmodifiableMap(m).entrySet()) m.put(e.getKey() + 10, 1); }
    @Found("MapViewComodification")
    static void checkedEntries() { Map<Integer, Integer> m = Collections.checkedMap(map(), Integer.class, Integer.class); for (Map.Entry<Integer, Integer> e : m.entrySet()) m.remove(e.getKey()); }
    @Found("IteratorComodification")
    static void synchronizedKeys() { Map<Integer, Integer> m = Collections.synchronizedMap(map()); synchronized (m) { for (int k : m.keySet()) m.put(k + 10, 1); } }
    @Found("TraversalComodification")
    static void subListOfSubList() { List<Integer> l = list(), s = l.subList(0, 3).subList(0, 2); l.add(4); s.size(); }
    @Found("IteratorComodification")
    static void iteratorOfSubListOfSubList() { List<Integer> l = list(), s = l.subList(0, 3).subList(0, 2); Iterator<Integer> i = s.iterator(); i.next(); l.add(4); i.next(); }
    @Found("TraversalComodification")
    static void outerSubListChanges() { List<Integer> l = list(), s = l.subList(0, 3), t = s.subList(0, 2); s.add(4); t.get(0); }
    @Found("IteratorComodification")
    static void innerSubListChanges() { List<Integer> l = list(), s = l.subList(0, 3); Iterator<Integer> i = s.iterator(); i.next(); s.subList(0, 1).clear(); i.next(); }
    @Found("TraversalComodification")
    static void subListOfUnmodifiable() { List<Integer> l = list(), s = Collections.unmodifiableList(l).subList(0, 2); l.add(4); s.get(1); }
    @Found("MapViewComodification")
    static void descendingKeys() { TreeMap<Integer, Integer> m = tree(); for (int k : m.descendingMap().keySet()) m.put(k + 10, 1); }
    @Found("MapViewComodification")
    static void subMapValues() { TreeMap<Integer, Integer> m = tree(); for (int v : m.subMap(1, 4).values()) m.remove(v); }
    @Found("IteratorComodification")
    static void headSet() { TreeSet<Integer> t = new TreeSet<>(List.of(1, 2, 3)); for (int x : t.headSet(3)) t.add(x + 10); }
    @Found("IteratorComodification")
    static void setFromMap() { Map<Integer, Boolean> m = new HashMap<>(); Set<Integer> s = Collections.newSetFromMap(m); s.add(1); s.add(2); for (int x : s) s.add(x + 10); }
    @Found("IteratorComodification")
    static void lifoQueue() { Deque<Integer> d = new ArrayDeque<>(List.of(1, 2)); Queue<Integer> q = Collections.asLifoQueue(d); for (int x : q) d.clear(); }
    @Found("TraversalComodification")
    static void entriesByStream() { Map<Integer, Integer> m = map(); m.entrySet().stream().forEach(e -> m.remove(e.getKey())); }
    @Found("TraversalComodification")
    static void unmodifiableForEach() { List<Integer> l = list(); Collections.unmodifiableList(l).forEach(l::add); }
    @Found("MapViewComodification")
    static void accessOrder() { Map<Integer, Integer> m = new LinkedHashMap<>(16, 0.75f, true); m.put(1, 1); m.put(2, 2); m.put(3, 3); for (int k : m.keySet()) m.get(1); }
    @Found("TraversalComodification")
    static void spliteratorOfView() { List<Integer> l = list(); Spliterator<Integer> s = Collections.unmodifiableList(l).spliterator(); s.tryAdvance(x -> { }); l.add(4); s.forEachRemaining(x -> { }); }
    @Found("TraversalComodification")
    static void enumerationOfList() { List<Integer> l = list(); Enumeration<Integer> e = Collections.enumeration(l); e.nextElement(); l.add(4); e.nextElement(); }
    @Found("TraversalComodification")
    static void copyWhileChanging() { List<Integer> l = list(); List<Integer> s = l.subList(0, 2); l.add(1); new ArrayList<>(s); }
    @Found("TraversalComodification")
    static void equalsOfPart() { List<Integer> l = list(), s = l.subList(0, 2); l.add(1); s.equals(List.of(1, 2)); }

    // The end, through wrappers.
    @Found("IteratorExhausted")
    static void unmodifiableAtEnd() { Iterator<Integer> i = Collections.unmodifiableList(list()).iterator(); while (i.hasNext()) i.next(); i.next(); }
    @Found("IteratorExhausted, SynchronizedIteration")
    static void synchronizedAtEnd() { Iterator<Integer> i = Collections.synchronizedCollection(list()).iterator(); i.next(); i.next(); i.next(); i.next(); }
    @Found("IteratorExhausted")
    static void checkedAtEnd() { Iterator<Map.Entry<Integer, Integer>> i = Collections.checkedMap(new HashMap<>(), Integer.class, Integer.class).entrySet().iterator(); i.next(); }
    @Found("IteratorExhausted")
    static void emptyIterator() { Collections.emptyIterator().next(); }
    @Found("IteratorExhausted")
    static void emptyListIterator() { Collections.emptyListIterator().previous(); }
    @Found("IteratorExhausted")
    static void singletonTwice() { Iterator<Integer> i = Collections.singleton(1).iterator(); i.next(); i.next(); }
    @Found("IteratorExhausted")
    static void streamIterator() { Iterator<Integer> i = Stream.of(1).iterator(); i.next(); i.next(); }
    @Found("IteratorExhausted")
    static void primitiveIterator() { PrimitiveIterator.OfInt i = IntStream.range(0, 1).iterator(); i.nextInt(); i.nextInt(); }
    @Found("IteratorExhausted")
    static void iteratorOfSpliterator() { Iterator<Integer> i = Spliterators.iterator(list().subList(0, 0).spliterator()); i.next(); }
    @Found("IteratorExhausted")
    static void pathIterator() { Iterator<Path> i = Path.of("a").iterator(); i.next(); i.next(); }
    @Found("EnumerationExhausted")
    static void emptyEnumeration() { Collections.emptyEnumeration().nextElement(); }
    @Found("IteratorExhausted")
    static void enumerationAsIterator() { Iterator<Integer> i = new Vector<Integer>().elements().asIterator(); i.next(); }
    @Found("IteratorExhausted")
    static void previousOfPart() { ListIterator<Integer> i = list().subList(1, 3).listIterator(); i.previous(); }
    @Found("IteratorExhausted")
    static void directoryAtEnd() throws IOException { Path d = Files.createTempDirectory("wrapped"); d.toFile().deleteOnExit(); try (DirectoryStream<Path> s = Files.newDirectoryStream(d)) { s.iterator().next(); } }
    @Found("IteratorExhausted")
    static void directoryClosed() throws IOException { Path d = Files.createTempDirectory("wrapped"); d.toFile().deleteOnExit(); Iterator<Path> i; try (DirectoryStream<Path> s = Files.newDirectoryStream(d)) { i = s.iterator(); } i.next(); }

    // Nothing there, through wrappers.
    @Found("CollectionEmpty")
    static void firstOfView() { Collections.unmodifiableSortedSet(new TreeSet<Integer>()).first(); }
    @Found("CollectionEmpty")
    static void lastKeyOfView() { Collections.synchronizedSortedMap(new TreeMap<Integer, Integer>()).lastKey(); }
    @Found("CollectionEmpty")
    static void firstOfHeadSet() { new TreeSet<>(List.of(5)).headSet(1).first(); }
    @Found("CollectionEmpty")
    static void checkedQueue() { Collections.checkedQueue(new ArrayDeque<>(), Integer.class).remove(); }
    @Found("CollectionEmpty")
    static void lifoElement() { Collections.asLifoQueue(new ArrayDeque<Integer>()).element(); }
    @Found("CollectionEmpty")
    static void maxOfView() { Collections.max(Collections.unmodifiableCollection(new ArrayList<Integer>())); }
    @Found("QueueFull")
    static void checkedFull() { Queue<Integer> q = Collections.checkedQueue(new ArrayBlockingQueue<>(1), Integer.class); q.add(1); q.add(2); }

    // Changing what cannot be changed, through views.
    @Found("ImmutableCollection")
    static void entryOfUnmodifiable() { Collections.unmodifiableMap(map()).entrySet().iterator().next().setValue(9); }
    @Found("ImmutableCollection")
    static void keysOfUnmodifiable() { Collections.unmodifiableMap(map()).keySet().remove(1); }
    @Found("ImmutableCollection")
    static void valuesOfUnmodifiable() { Collections.unmodifiableMap(map()).values().clear(); }
    @Found("ImmutableCollection")
    static void entriesRemoveIf() { Collections.unmodifiableMap(map()).entrySet().removeIf(e -> true); }
    @Found("ImmutableCollection")
    static void partOfImmutable() { List.of(1, 2, 3).subList(0, 2).removeIf(x -> true); }
    @Found("ImmutableCollection")
    static void iteratorOfEntries() { Iterator<?> i = Collections.unmodifiableMap(map()).entrySet().iterator(); i.next(); i.remove(); }
    @Found("ImmutableCollection")
    static void partOfUnmodifiable() { Collections.unmodifiableList(list()).subList(0, 2).add(1); }
    @Found("ImmutableCollection")
    static void partOfAsList() { Arrays.asList(1, 2, 3).subList(0, 2).clear(); }
    @Found("ImmutableCollection")
    static void keysOfMap() { map().keySet().add(9); }
    @Found("ImmutableCollection")
    static void descendingOfUnmodifiable() { Collections.unmodifiableNavigableMap(tree()).descendingMap().put(9, 9); }
    @Found("ImmutableCollection")
    static void headOfUnmodifiable() { Collections.unmodifiableSortedMap(tree()).headMap(2).clear(); }
    @Found("ImmutableCollection")
    static void synchronizedOfUnmodifiable() { Collections.synchronizedList(Collections.unmodifiableList(list())).add(1); }
    @Found("ImmutableCollection")
    static void checkedOfImmutable() { Collections.checkedList(List.of(1), Integer.class).add(2); }
    @Found("ImmutableCollection")
    static void listIteratorOfImmutable() { ListIterator<Integer> i = List.of(1, 2).listIterator(); i.next(); i.set(3); }
    @Found("ImmutableCollection")
    static void toListOfStream() { Stream.of(1, 2).toList().iterator().remove(); }

    // `remove`, through wrappers.
    @Found("IteratorRemove, SynchronizedIteration")
    static void removeTwice() { Iterator<Integer> i = Collections.synchronizedList(list()).iterator(); i.next(); i.remove(); i.remove(); }
    @Found("IteratorRemove")
    static void removeEntryTwice() { Iterator<Map.Entry<Integer, Integer>> i = Collections.checkedMap(map(), Integer.class, Integer.class).entrySet().iterator(); i.next(); i.remove(); i.remove(); }
    @Found("IteratorRemove")
    static void removeFromPartFirst() { Iterator<Integer> i = list().subList(0, 2).iterator(); i.remove(); }
    @Found("IteratorRemove")
    static void setAfterRemove() { ListIterator<Integer> i = Collections.checkedList(list(), Integer.class).listIterator(); i.next(); i.remove(); i.set(1); }

    @Found("IteratorRemove")
    static void removeRefusedByAGuard() { new Guarded<>(list().iterator(), x -> true).remove(); }
    @Found("IteratorExhausted")
    static void nextRefusedByAGuard() { new Guarded<>(Collections.<Integer>emptyIterator(), x -> true).next(); }

    // Streams, readers and writers of others.
    @Found("InputStreamClosed")
    static void dataInput() throws IOException { DataInputStream d = new DataInputStream(new BufferedInputStream(Files.newInputStream(file()))); d.close(); d.readInt(); }
    @Unseen("an EOFException may have other causes")
    static void objectInput() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); try (ObjectOutputStream o = new ObjectOutputStream(b)) { o.writeInt(1); } ObjectInputStream i = new ObjectInputStream(new BufferedInputStream(new ByteArrayInputStream(b.toByteArray()))); i.close(); i.readInt(); }
    @Found("InputStreamClosed")
    static void pushedBack() throws IOException { PushbackInputStream p = new PushbackInputStream(Files.newInputStream(file())); p.close(); p.unread(1); }
    @Found("InputStreamClosed")
    static void inflated() throws IOException { InflaterInputStream i = new InflaterInputStream(new ByteArrayInputStream(new byte[9])); i.close(); i.read(); }
    @Found("InputStreamClosed")
    static void checkedInput() throws IOException { CheckedInputStream c = new CheckedInputStream(new FileInputStream(file().toFile()), new CRC32()); c.close(); c.read(); }
    @Found("WrappedClosed")
    static void closedBelow() throws IOException { InputStream f = new FileInputStream(file().toFile()), b = new BufferedInputStream(f); f.close(); b.read(); }
    @Found("WrappedClosed")
    static void readerBelow() throws IOException { Reader f = new FileReader(file().toFile()); BufferedReader b = new BufferedReader(f); f.close(); b.readLine(); }
    @Found("ReaderClosed")
    static void lineNumbers() throws IOException { LineNumberReader r = new LineNumberReader(new StringReader("a")); r.close(); r.readLine(); }
    @Found("ReaderClosed")
    static void pushbackReader() throws IOException { PushbackReader r = new PushbackReader(new StringReader("a")); r.close(); r.unread('a'); }
    @Unseen("`write` after `close` worked, and what works counts as open")
    static void bufferedOutput() throws IOException { OutputStream b = new BufferedOutputStream(new FileOutputStream(file().toFile())); b.close(); b.write(1); b.flush(); }
    @Found("OutputStreamClosed")
    static void dataOutput() throws IOException { DataOutputStream d = new DataOutputStream(new FileOutputStream(file().toFile())); d.close(); d.writeInt(1); }
    @Found("OutputStreamClosed")
    static void objectOutput() throws IOException { ObjectOutputStream o = new ObjectOutputStream(new FileOutputStream(file().toFile())); o.close(); o.writeObject("a"); o.flush(); }
    @Found("WriterClosed")
    static void writerOfChannel() throws IOException { Writer w = Channels.newWriter(FileChannel.open(file(), StandardOpenOption.WRITE), "UTF-8"); w.close(); w.write("a"); }
    @Found("ScannerExhausted")
    static void scannerOfClosedReader() throws IOException { Reader r = Files.newBufferedReader(file()); Scanner s = new Scanner(r); r.close(); s.nextLine(); }
    @Found("IteratorExhausted")
    static void scannerOfClosedReaderAsIterator() throws IOException { Reader r = Files.newBufferedReader(file()); Scanner s = new Scanner(r); r.close(); s.next(); }
    @Found("ScannerClosed")
    static void scannerTokens() throws IOException { Scanner s = new Scanner(file()); s.close(); s.tokens(); }
    @Found("ChannelSourceClosed")
    static void channelOfFile() throws IOException { RandomAccessFile f = new RandomAccessFile(file().toFile(), "rw"); FileChannel c = f.getChannel(); f.close(); c.size(); }
    @Found("ChannelSourceClosed")
    static void channelOfStream() throws IOException { FileInputStream f = new FileInputStream(file().toFile()); FileChannel c = f.getChannel(); f.close(); c.read(ByteBuffer.allocate(1)); }
    @Found("ChannelSourceClosed")
    static void channelOfOutput() throws IOException { FileOutputStream f = new FileOutputStream(file().toFile()); FileChannel c = f.getChannel(); f.close(); c.position(1); }
    @Found("WrappedClosed")
    static void readerOfClosedStream() throws IOException { InputStream f = Files.newInputStream(file()); Reader r = new InputStreamReader(f); f.close(); r.read(); }
    @Found("WrappedClosed")
    static void writerOfClosedStream() throws IOException { OutputStream f = new FileOutputStream(file().toFile()); Writer w = new OutputStreamWriter(f); w.write('a'); f.close(); w.flush(); }
    @Found("WrappedClosed")
    static void streamOfChannel() throws IOException { FileChannel c = FileChannel.open(file()); InputStream i = Channels.newInputStream(c); c.close(); i.read(); }
    @Found("ChannelSourceClosed")
    static void channelClosedByItsStream() throws IOException { FileChannel c = FileChannel.open(file()); Channels.newInputStream(c).close(); c.size(); }

    // Archives and file systems.
    @Unseen("the documentation promises it of `entries`, not of what that returned")
    static void entriesOfClosedArchive() throws IOException { ZipFile z = new ZipFile(archive().toFile()); Enumeration<? extends ZipEntry> e = z.entries(); z.close(); e.nextElement(); }
    @Found("WrappedClosed")
    static void entryOfClosedArchive() throws IOException { ZipFile z = new ZipFile(archive().toFile()); InputStream i = z.getInputStream(z.getEntry("a")); z.close(); i.read(); }
    @Found("FileSystemClosed")
    static void pathOfClosedSystem() throws Exception { Path p = archive(); FileSystem s = FileSystems.newFileSystem(p); Path a = s.getPath("/a"); s.close(); Files.readAllBytes(a); }
    @Found("SelectorClosed")
    static void registeredWithClosed() throws IOException { Selector s = Selector.open(); try (SocketChannel c = SocketChannel.open()) { c.configureBlocking(false); s.close(); c.register(s, SelectionKey.OP_CONNECT); } }

    // Locks made by others.
    @Found("LockUnlock")
    static void viewOfStamped() { new StampedLock().asReadLock().unlock(); }
    @Found("LockUnlock")
    static void stampedTwice() { StampedLock l = new StampedLock(); long s = l.writeLock(); l.unlockWrite(s); l.unlockWrite(s); }
    @Found("ConditionLock")
    static void conditionOfWriteLock() { new ReentrantReadWriteLock().writeLock().newCondition().signal(); }
    @Found("WaitNotify")
    static void arrayNotOwned() { new int[1].notify(); }
    @Found("WaitNotify")
    static void classNotOwned() throws InterruptedException { ThrowsWrapped.class.wait(1); }

    // Executors of others.
    @Found("ExecutorAfterShutdown")
    static void submittedToShut() throws Exception { ExecutorService e = Executors.unconfigurableExecutorService(Executors.newFixedThreadPool(1)); e.shutdown(); e.submit(() -> 1); }
    @Found("ExecutorAfterShutdown")
    static void asyncOnShut() { ExecutorService e = Executors.newFixedThreadPool(1); e.shutdown(); CompletableFuture.runAsync(() -> { }, e); }
    @Unseen("the executor is not part of the call")
    static void completionServiceOfShut() { ExecutorService e = Executors.newFixedThreadPool(1); e.shutdown(); new ExecutorCompletionService<Integer>(e).submit(() -> 1); }

    // Buffers of buffers.
    @Found("BufferMisused")
    static void viewOverflows() { IntBuffer i = ByteBuffer.allocate(4).asIntBuffer(); i.put(1).put(2); }
    @Found("BufferMisused")
    static void sliceUnderflows() { ByteBuffer b = ByteBuffer.allocate(4); b.position(4); b.slice().get(); }
    @Found("BufferMisused")
    static void readOnlyOfWrapped() { ByteBuffer.wrap(new byte[1]).asReadOnlyBuffer().slice().array(); }
    @Found("BufferMisused")
    static void textAsBuffer() { CharBuffer.wrap("abc").put('a'); }
    @Found("BufferMisused")
    static void notFlipped() { ByteBuffer b = ByteBuffer.allocate(4); b.putInt(1); b.getInt(); }
    @Found("BufferMisused")
    static void resetOfDuplicate() { ByteBuffer b = ByteBuffer.allocate(4); b.duplicate().reset(); }
}

/** An iterator that has another class throw for it, as those of many libraries have. */
final class Guarded<T> implements Iterator<T> {
    private final Iterator<T> inner;
    private final java.util.function.Predicate<T> isFine;
    private T last;

    Guarded(Iterator<T> inner, java.util.function.Predicate<T> isFine) { this.inner = inner; this.isFine = isFine; }

    @Override public boolean hasNext() { return inner.hasNext(); }
    @Override public T next() { GuardPreconditions.checkElement(inner.hasNext()); last = inner.next(); isFine.test(last); return last; }
    @Override public void remove() { GuardPreconditions.checkState(last != null); last = null; inner.remove(); }
}

final class GuardPreconditions {
    static void checkState(boolean isFine) { if (!isFine) throw new IllegalStateException(); }
    static void checkElement(boolean isThere) { if (!isThere) throw new NoSuchElementException(); }
}
