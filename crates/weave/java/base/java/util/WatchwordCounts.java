package java.util;

import jdk.internal.vm.annotation.DontInline;

/** How often each letter occurred, and how many instances began: each thread counts for itself. */
final class WatchwordCounts {
    private static int counters;
    /** The counters of virtual threads. */
    private static long[] shared;
    private static ArrayList<long[]> all;
    /** What threads that have ended counted. */
    private static long[] ended;

    private WatchwordCounts() {}

    static void prepare(int counters) {
        WatchwordCounts.counters = counters;
        shared = new long[counters];
        all = new ArrayList<>();
        all.add(shared);
        ended = new long[counters];
        all.add(ended);
    }

    static void count(int counter) {
        of()[counter]++;
    }

    /** The counters of this thread. */
    static long[] of() {
        Thread thread = Thread.currentThread();
        long[] counts = thread.$watchword$counts;
        return counts != null ? counts : begin(thread);
    }

    /**
     * The counters of a thread that has none yet. There may be millions of virtual threads: they
     * share theirs, and may lose a count.
     */
    @DontInline
    private static synchronized long[] begin(Thread thread) {
        if (thread.getClass().getName().equals("java.lang.VirtualThread")) {
            return shared;
        }
        long[] counts = new long[counters];
        thread.$watchword$counts = counts;
        all.add(counts);
        return counts;
    }

    /** This thread ends: its counters are not kept. */
    static synchronized void end() {
        Thread thread = Thread.currentThread();
        long[] counts = thread.$watchword$counts;
        // Arrays are equal to themselves only.
        if (counts != null && all.remove(counts)) {
            thread.$watchword$counts = null;
            add(counts, ended);
        }
    }

    /** The counters of all threads, added up. */
    static synchronized long[] total() {
        long[] total = new long[counters];
        for (int thread = 0; thread < all.size(); thread++) {
            add(all.get(thread), total);
        }
        return total;
    }

    private static void add(long[] counts, long[] total) {
        for (int counter = 0; counter < total.length; counter++) {
            total[counter] += counts[counter];
        }
    }
}
