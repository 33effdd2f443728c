import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import java.util.zip.*;

/** The program's own code throws inside a method of the JDK, or the program's own class means something else by its exception. */
final class LegalCallbacks {
    interface Body { void run() throws Exception; }

    static void caught(Class<? extends Exception> kind, Body body) {
        try {
            body.run();
        } catch (Exception e) {
            if (kind.isInstance(e)) {
                return;
            }
            throw new AssertionError(e);
        }
        throw new AssertionError("nothing was thrown");
    }

    static final class Unhashable {
        @Override public int hashCode() { throw new UnsupportedOperationException("unhashable"); }
        @Override public boolean equals(Object other) { throw new UnsupportedOperationException("incomparable"); }
    }

    static final class Unordered implements Comparable<Unordered> {
        final RuntimeException why;
        Unordered(RuntimeException why) { this.why = why; }
        @Override public int compareTo(Unordered other) { why.fillInStackTrace(); throw why; }
    }

    static Unordered unsupported() { return new Unordered(new UnsupportedOperationException("no order")); }

    static <T> Collection<T> lazy(RuntimeException why) {
        return new AbstractList<T>() {
            @Override public T get(int index) { throw why; }
            @Override public Iterator<T> iterator() { throw why; }
            @Override public Object[] toArray() { throw why; }
            @Override public int size() { return 1; }
        };
    }

    @Legal("ImmutableCollection")
    static void hashCodeThrowsInSet() { caught(UnsupportedOperationException.class, () -> new HashSet<>().add(new Unhashable())); }
    @Legal("ImmutableCollection")
    static void hashCodeThrowsInPut() { caught(UnsupportedOperationException.class, () -> new HashMap<>().put(new Unhashable(), 1)); }
    @Legal("ImmutableCollection")
    static void hashCodeThrowsInRemove() { caught(UnsupportedOperationException.class, () -> new HashMap<>().remove(new Unhashable())); }
    @Legal("ImmutableCollection")
    static void equalsThrowsInRemove() { caught(UnsupportedOperationException.class, () -> new ArrayList<>(List.of(1)).remove(new Unhashable())); }
    @Legal("ImmutableCollection")
    static void compareToThrowsInTreeMap() { caught(UnsupportedOperationException.class, () -> new TreeMap<>().put(unsupported(), 1)); }
    @Legal("ImmutableCollection")
    static void compareToThrowsInTreeSet() { caught(UnsupportedOperationException.class, () -> Collections.addAll(new TreeSet<>(), unsupported())); }
    @Legal("ImmutableCollection")
    static void compareToThrowsInSort() { caught(UnsupportedOperationException.class, () -> Collections.sort(new ArrayList<>(List.of(unsupported(), unsupported())))); }
    @Legal("ImmutableCollection")
    static void argumentOfAddAllThrows() { caught(UnsupportedOperationException.class, () -> new ArrayList<>().addAll(lazy(new UnsupportedOperationException("lazy")))); }
    @Legal("ImmutableCollection")
    static void functionOfMergeThrows() { caught(UnsupportedOperationException.class, () -> new HashMap<>(Map.of(1, 1)).merge(1, 1, (x, y) -> { throw new UnsupportedOperationException(); })); }
    @Legal("QueueFull")
    static void compareToThrowsInQueue() { caught(IllegalStateException.class, () -> unready(new PriorityQueue<>())); }
    private static void unready(Queue<Unordered> queue) { for (int i = 0; i < 2; i++) queue.add(new Unordered(new IllegalStateException("not yet"))); }
    @Legal("QueueFull")
    static void argumentOfQueueThrows() { caught(IllegalStateException.class, () -> new ArrayDeque<>().addAll(lazy(new IllegalStateException("not loaded")))); }
    @Legal("CollectionEmpty")
    static void comparatorThrowsInMin() { caught(NoSuchElementException.class, () -> Collections.min(List.of(1, 2, 3), (x, y) -> { throw new NoSuchElementException("no weight"); })); }
    @Legal("TraversalComodification")
    static void functionOfForEachThrows() { caught(ConcurrentModificationException.class, () -> List.of(1, 2).forEach(x -> { throw new ConcurrentModificationException("optimistic lock failed"); })); }
    @Legal("TraversalComodification")
    static void functionOfComputeThrows() { caught(ConcurrentModificationException.class, () -> new ConcurrentHashMap<Integer, Integer>().computeIfAbsent(1, x -> { throw new ConcurrentModificationException("version 3 expected"); })); }
    @Legal("TraversalComodification")
    static void functionOfStreamThrows() { caught(ConcurrentModificationException.class, () -> Stream.of(1).forEach(x -> { throw new ConcurrentModificationException("row changed"); })); }
    @Legal("TraversalComodification")
    static void functionOfParallelStreamThrows() { caught(ConcurrentModificationException.class, () -> IntStream.range(0, 1000).parallel().forEach(x -> { throw new ConcurrentModificationException("row changed"); })); }
    @Legal("TraversalComodification")
    static void functionThrowsInRecursion() { caught(ConcurrentModificationException.class, () -> descend(3)); }
    private static void descend(int depth) { if (depth == 0) { throw new ConcurrentModificationException("deep"); } List.of(depth).forEach(x -> descend(x - 1)); }
    @Legal("IteratorRemove")
    static void removeThrowsForAnotherReason() { caught(IllegalStateException.class, () -> { Iterator<Integer> i = iterator(new PriorityQueue<>()); i.next(); i.remove(); }); }
    private static Iterator<Integer> iterator(Queue<Unordered> rest) {
        return new Iterator<>() {
            @Override public boolean hasNext() { return true; }
            @Override public Integer next() { return 1; }
            @Override public void remove() { unready(rest); }
        };
    }
    @Legal("IteratorExhausted")
    static void nextThrowsForAnotherReason() {
        Map<String, Integer> weights = new TreeMap<>();
        Iterator<Integer> i = new Iterator<>() {
            @Override public boolean hasNext() { return true; }
            @Override public Integer next() { return lookUp(weights); }
            private Integer lookUp(Map<String, Integer> all) { return all.keySet().stream().map(all::get).reduce(Integer::sum).orElseThrow(MissingWeight::new); }
        };
        caught(MissingWeight.class, () -> { if (i.hasNext()) i.next(); });
    }
    static final class MissingWeight extends RuntimeException { }

    static final class Segment extends OutputStream {
        boolean open = true;
        int room = 2;
        void reopen() { open = true; }
        @Override public void write(int b) throws IOException {
            if (!open) throw new IOException("closed");
            if (room-- <= 0) throw new IOException("disk full");
        }
        @Override public void close() { open = false; }
    }

    static final class Damaged extends InputStream {
        @Override public int read() throws IOException { throw new IOException("CRC error"); }
        @Override public void close() { }
    }

    static final class Shield extends FilterInputStream {
        Shield(InputStream in) { super(in); }
        @Override public void close() { }
    }

    @Legal("OutputStreamClosed")
    static void ownStreamReopened() { caught(IOException.class, () -> { Segment s = new Segment(); s.write(1); s.write(2); s.close(); s.reopen(); s.write(3); }); }
    @Legal("InputStreamClosed")
    static void closeWithoutEffect() { caught(IOException.class, () -> { InputStream s = new Shield(new Damaged()); s.close(); s.read(); }); }
    @Legal("InputStreamClosed")
    static void ownStreamDamaged() { caught(IOException.class, () -> { InputStream s = new Damaged(); s.close(); s.read(); }); }
    @Legal("DeflaterEnded")
    static void endOverridden() { caught(NullPointerException.class, () -> { Deflater d = new Deflater() { @Override public void end() { reset(); } }; d.end(); d.setInput((byte[]) null); }); }
    @Legal("StreamReused")
    static void functionThrowsInSecondStream() { caught(IllegalStateException.class, () -> { Stream<Integer> s = Stream.of(1); s.unordered(); Stream.of(1).map(x -> { throw new IllegalStateException(); }).forEach(x -> { }); }); }
    @Legal("ZipEntryOpen")
    static void entryAfterARefusedOne() throws IOException {
        try (ZipOutputStream z = new ZipOutputStream(new ByteArrayOutputStream())) {
            z.putNextEntry(new ZipEntry("a"));
            caught(ZipException.class, () -> z.putNextEntry(new ZipEntry("a")));
            z.putNextEntry(new ZipEntry("b"));
            z.write(1);
        }
    }

    /** Exceptions that were made once, in the method that meets them again, or by the JDK in another call. */
    static final class Kept {
        static final UnsupportedOperationException UNSUPPORTED = new UnsupportedOperationException("kept");
        static final IllegalStateException STATE = new IllegalStateException("kept");
        static final ConcurrentModificationException MODIFIED = new ConcurrentModificationException("kept");
    }
    static final class Refusing implements Comparable<Refusing> {
        final RuntimeException why;
        Refusing(RuntimeException why) { this.why = why; }
        @Override public int compareTo(Refusing other) { throw why; }
    }
    @Legal("ImmutableCollection")
    static void keptExceptionInTreeMap() {
        try {
            new TreeMap<>().put(new Refusing(Kept.UNSUPPORTED), 1);
        } catch (UnsupportedOperationException e) {
            return;
        }
        throw new AssertionError("nothing was thrown");
    }
    @Legal("QueueFull")
    static void keptExceptionInQueue() {
        Queue<Refusing> queue = new PriorityQueue<>();
        try {
            for (int i = 0; i < 2; i++) queue.add(new Refusing(Kept.STATE));
        } catch (IllegalStateException e) {
            return;
        }
        throw new AssertionError("nothing was thrown");
    }
    @Legal("TraversalComodification")
    static void keptExceptionInForEach() {
        try {
            List.of(1).forEach(x -> { throw Kept.MODIFIED; });
        } catch (ConcurrentModificationException e) {
            return;
        }
        throw new AssertionError("nothing was thrown");
    }
    @Legal("MatcherMatch")
    static void functionOfReplaceAllThrows() { caught(ConcurrentModificationException.class, () -> java.util.regex.Pattern.compile("a").matcher("a").replaceAll(m -> { throw new ConcurrentModificationException("row changed"); })); }
}
