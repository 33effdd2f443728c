import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.*;
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

/** Uses that throw, as somebody wrote them who had read the properties and wanted to get past them. */
final class ThrowsAgain {
    static Path file() throws IOException { Path path = Files.createTempFile("again", ".txt"); path.toFile().deleteOnExit(); return Files.writeString(path, "one\ntwo\n"); }
    static List<Integer> some() { return new ArrayList<>(List.of(1, 2, 3, 4)); }

    @Found("TraversalComodification")
    static void iteratorOfKeysStreamed() { Map<Integer, Integer> m = new HashMap<>(Map.of(1, 1, 2, 2)); m.keySet().stream().forEach(k -> m.put(k + 10, 1)); }
    @Found("IteratorComodification")
    static void iteratorByReference() { List<Integer> l = some(); Iterator<Integer> i = l.iterator(); l.add(1); Supplier<Integer> s = i::next; s.get(); }
    @Found("IteratorComodification")
    static void forEachRemainingChanged() { List<Integer> l = some(); l.iterator().forEachRemaining(l::add); }
    @Found("TraversalComodification")
    static void collectionsSortChanged() { List<Integer> l = some(); Collections.sort(l, (a, b) -> { l.add(1); return 0; }); }
    @Found("MapViewComodification")
    static void entrySetLoop() { Map<Integer, Integer> m = new TreeMap<>(Map.of(1, 1, 2, 2)); for (Map.Entry<Integer, Integer> e : m.entrySet()) m.remove(e.getKey()); }
    @Found("MapViewComodification")
    static void linkedHashMapAccess() { LinkedHashMap<Integer, Integer> m = new LinkedHashMap<>(16, 1, true); m.put(1, 1); m.put(2, 2); for (int k : m.keySet()) m.get(1); }
    @Found("IteratorComodification")
    static void priorityQueueLoop() { PriorityQueue<Integer> q = new PriorityQueue<>(some()); for (int x : q) q.add(x); }
    @Found("TraversalComodification")
    static void subListOfSubList() { List<Integer> l = some(), s = l.subList(0, 3).subList(0, 2); l.add(5); s.get(0); }
    @Found("TraversalComodification")
    static void subListSize() { List<Integer> l = some(), s = l.subList(0, 3); l.clear(); s.isEmpty(); }
    @Found("TraversalComodification")
    static void subListToString() { List<Integer> l = some(), s = l.subList(0, 3); l.clear(); for (int x : s) x++; }
    @Found("IteratorComodification")
    static void descendingIterator() { Deque<Integer> d = new LinkedList<>(some()); Iterator<Integer> i = d.descendingIterator(); i.next(); d.push(1); i.next(); }
    @Found("TraversalComodification")
    static void parallelStreamChanged() { List<Integer> l = new Vector<>(some()); l.stream().peek(x -> l.add(x)).toList(); }
    @Found("TraversalComodification")
    static void joiningChanged() { List<String> l = new ArrayList<>(List.of("a", "b")); l.stream().map(x -> { l.add("c"); return x; }).collect(Collectors.joining()); }
    @Found("ImmutableCollection")
    static void arraysAsListAdd() { Arrays.asList(1, 2).add(3); }
    @Found("ImmutableCollection")
    static void arraysAsListRemoveIf() { Arrays.asList(1, 2).removeIf(x -> true); }
    @Found("ImmutableCollection")
    static void listOfSort() { List.of(2, 1).sort(null); }
    @Found("ImmutableCollection")
    static void collectionsSortImmutable() { Collections.sort(List.of(2, 1)); }
    @Found("ImmutableCollection")
    static void shuffleImmutable() { Collections.shuffle(List.of(2, 1, 3, 4)); }
    @Found("ImmutableCollection")
    static void addAllImmutable() { Collections.addAll(Collections.emptyList(), 1); }
    @Found("ImmutableCollection")
    static void mapOfPut() { Map.of(1, 2).merge(1, 2, Integer::sum); }
    @Found("ImmutableCollection")
    static void entryOfSetValue() { Map.entry(1, 2).setValue(3); }
    @Found("ImmutableCollection")
    static void unmodifiableIteratorRemove() { Iterator<Integer> i = Collections.unmodifiableList(some()).iterator(); i.next(); i.remove(); }
    @Found("ImmutableCollection")
    static void toListAdd() { Stream.of(1).toList().add(2); }
    @Found("ImmutableCollection")
    static void keySetAdd() { new HashMap<Integer, Integer>().keySet().add(1); }
    @Found("ImmutableCollection")
    static void immutableKeySetRemove() { Map.of(1, 2).keySet().remove(1); }
    @Found("CollectionEmpty")
    static void collectionsMaxEmpty() { Collections.max(new ArrayList<Integer>()); }
    @Found("ImmutableCollection")
    static void streamIteratorEnd() { Stream.of(1).iterator().remove(); }
    @Found("OptionalGet")
    static void optionalIntGet() { OptionalInt.empty().getAsInt(); }
    @Found("OptionalGet")
    static void optionalOrElseThrow() { Optional.empty().orElseThrow(); }
    @Found("StreamReused")
    static void streamMapTwice() { Stream<Integer> s = Stream.of(1); s.map(x -> x); s.filter(x -> true); }
    @Found("StreamReused")
    static void intStreamTwice() { IntStream s = IntStream.range(0, 2); s.sum(); s.max(); }
    @Found("StreamReused")
    static void streamConcatUsed() { Stream<Integer> s = Stream.of(1); s.count(); Stream.concat(s, Stream.of(2)).count(); }
    @Unseen("the stream was given by a function")
    static void streamFlatMapUsed() { Stream<Integer> s = Stream.of(1); s.count(); Stream.of(1).flatMap(x -> s).count(); }
    @Found("MatcherMatch")
    static void splitMatcher() { Matcher m = Pattern.compile("a").matcher("b"); m.lookingAt(); m.end(); }
    @Found("MatcherMatch")
    static void matcherAppendTail() { Matcher m = Pattern.compile("a").matcher("b"); m.replaceFirst(r -> { m.reset(); return "x"; }); m.group(); }
    @Found("ScannerClosed")
    static void scannerDelimiterClosed() { Scanner s = new Scanner("a b"); s.close(); s.hasNext(); }
    @Found("ScannerExhausted")
    static void scannerSkip() { new Scanner("a").skip("b"); }
    @Found("ScannerClosed")
    static void scannerTokens() { Scanner s = new Scanner("a"); s.close(); s.tokens().count(); }
    @Found("IteratorExhausted")
    static void scannerNextEnd() { Scanner s = new Scanner("a"); s.next(); s.next(); }
    @Found("ScannerExhausted")
    static void scannerNextLineEnd() { Scanner s = new Scanner(""); s.nextLine(); }
    @Found("MarkReset")
    static void readerMarkUnsupported() throws IOException { new InputStreamReader(new ByteArrayInputStream(new byte[3])).mark(1); }
    @Found("MarkReset")
    static void inputResetUnmarked() throws IOException { new BufferedInputStream(new ByteArrayInputStream(new byte[3])).reset(); }
    @Found("MarkReset")
    static void inputMarkInvalid() throws IOException { InputStream in = new BufferedInputStream(new ByteArrayInputStream(new byte[100]), 2); in.mark(1); in.read(new byte[50]); in.reset(); }
    @Found("InputStreamClosed")
    static void readAllClosed() throws IOException { InputStream in = new FileInputStream(file().toFile()); in.close(); in.readAllBytes(); }
    @Found("InputStreamClosed")
    static void transferClosed() throws IOException { InputStream in = Files.newInputStream(file()); in.close(); in.transferTo(new ByteArrayOutputStream()); }
    @Unseen("the channel was closed through its stream")
    static void channelOfClosedStream() throws IOException { FileInputStream in = new FileInputStream(file().toFile()); in.close(); in.getChannel().size(); }
    @Found("InputStreamClosed")
    static void objectInClosed() throws Exception { ByteArrayOutputStream b = new ByteArrayOutputStream(); new ObjectOutputStream(b).writeObject("x"); ObjectInputStream o = new ObjectInputStream(new BufferedInputStream(new ByteArrayInputStream(b.toByteArray()))); o.close(); o.readObject(); }
    @Found("InputStreamClosed")
    static void pushbackUnread() throws IOException { PushbackInputStream p = new PushbackInputStream(new ByteArrayInputStream(new byte[3])); p.close(); p.unread(1); }
    @Found("DeflaterEnded")
    static void inflaterEnded() throws Exception { Inflater i = new Inflater(); i.end(); i.inflate(new byte[1]); }
    @Found("DeflaterEnded")
    static void deflaterEnded() { Deflater d = new Deflater(); d.end(); d.deflate(new byte[1]); }
    @Found("WriterUnflushed, ZipEntryOpen")
    static void zipDuplicateThenWrite() throws IOException { ZipOutputStream z = new ZipOutputStream(new ByteArrayOutputStream()); z.putNextEntry(new ZipEntry("a")); z.closeEntry(); z.write(1); }
    @Found("SignatureInit")
    static void signatureUninitialised() throws Exception { Signature.getInstance("SHA256withRSA").verify(new byte[1]); }
    @Found("CipherInit")
    static void cipherGcmReuse() throws Exception { Cipher c = Cipher.getInstance("AES/GCM/NoPadding"); c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new GCMParameterSpec(128, new byte[12])); c.doFinal(new byte[1]); c.doFinal(new byte[1]); }
    @Found("CipherInit")
    static void cipherAadLate() throws Exception { Cipher c = Cipher.getInstance("AES/GCM/NoPadding"); c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new GCMParameterSpec(128, new byte[12])); c.update(new byte[1]); c.updateAAD(new byte[1]); }
    @Found("PhaserParties")
    static void phaserNegative() { Phaser p = new Phaser(); p.arrive(); }
    @Found("LockUnlock")
    static void exchangerOfLock() { Lock l = new ReentrantReadWriteLock().writeLock(); l.lock(); l.unlock(); l.unlock(); }
    @Found("LockUnlock")
    static void stampedUnlock() { StampedLock s = new StampedLock(); long t = s.writeLock(); s.unlockWrite(t); s.unlockWrite(t); }
    @Found("LockUnlock")
    static void stampedUnlockRead() { StampedLock s = new StampedLock(); s.unlockRead(s.tryOptimisticRead()); }
    @Found("ConditionLock")
    static void conditionForeign() throws Exception { Lock l = new ReentrantLock(); Condition c = l.newCondition(); c.signal(); }
    @Found("QueueFull")
    static void blockingQueueAdd() { new ArrayBlockingQueue<Integer>(1).addAll(List.of(1, 2)); }
    @Found("CollectionEmpty")
    static void transferQueueRemove() { new LinkedTransferQueue<Integer>().remove(); }
    @Found("CollectionEmpty")
    static void delayQueueElement() { new DelayQueue<Delayed>().element(); }
    @Found("ChannelState")
    static void channelLockClosed() throws IOException { FileChannel c = FileChannel.open(file(), StandardOpenOption.WRITE); FileLock l = c.lock(); c.close(); l.release(); }
    @Found("BufferMisused")
    static void mapReadOnly() throws IOException { try (FileChannel c = FileChannel.open(file())) { c.map(FileChannel.MapMode.READ_ONLY, 0, 3).put((byte) 1); } }
    @Found("CharsetCoder")
    static void decoderMisuse() { CharsetDecoder d = StandardCharsets.UTF_8.newDecoder(); d.decode(ByteBuffer.allocate(0), CharBuffer.allocate(1), true); d.decode(ByteBuffer.allocate(0), CharBuffer.allocate(1), false); }
    @Found("CharsetCoder")
    static void encoderFlushEarly() { StandardCharsets.UTF_8.newEncoder().flush(ByteBuffer.allocate(1)); }
    @Found("IteratorExhausted")
    static void attributeViewClosed() throws IOException { try (DirectoryStream<Path> d = Files.newDirectoryStream(Files.createTempDirectory("again"))) { d.iterator().next(); } }
    @Unseen("an iterator of a stream of files has no property of its own")
    static void walkClosed() throws IOException { Stream<Path> s = Files.walk(Files.createTempDirectory("again")); Iterator<Path> i = s.iterator(); s.close(); i.next(); i.next(); }
    @Found("BuilderMisused")
    static void calendarBuilder() { new Calendar.Builder().setInstant(1).setDate(1, 1, 1); }
    @Found("IteratorExhausted")
    static void bitSetStream() { Iterator<Integer> i = new BitSet().stream().iterator(); i.next(); }
    @Found("IteratorExhausted")
    static void serviceLoaderEnd() { Iterator<Runnable> i = ServiceLoader.load(Runnable.class).iterator(); i.next(); }
}
