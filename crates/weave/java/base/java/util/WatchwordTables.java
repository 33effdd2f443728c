package java.util;

/** The properties whose state is in the objects, as the agent describes them. */
final class WatchwordTables {
    /** The size of an operation. */
    static final int OPERATION_BITS = 14;
    /** The size of the number of a choice. */
    static final int CHOICE_BITS = 16;
    /** Every code leads to itself. */
    static final long NOTHING = 0xfedcba9876543210L;

    /** By letter (from bit 4) and case: the code each code leads to, four bits for each. */
    static long[] next;
    /** By letter and case: from which codes the step is reported, a bit for each. */
    static int[] reports;
    /** By letter: role, lane or chain (from bit 8), the counter of instances (from bit 16). */
    static int[] infos;
    /** By chain: the code each code leads to when the root changes. */
    static long[] roots;
    /**
     * By site, at even places: up to four operations, the first in the lowest bits; negative if the
     * engine wants the event as well. An operation is a letter (from bit 2), and whether its second
     * (bit 1) and first object (bit 0) are the hook's second. At odd places: the choice of the case
     * of each of them, see {@link WatchwordChoices}.
     */
    static long[] operations;
    /** By site: up to two choices of sixteen bits each that decide whether there is an event at all. */
    static int[] tests;

    private WatchwordTables() {}

    static void prepare(int letters, int chains) {
        next = new long[letters << 4];
        reports = new int[letters << 4];
        infos = new int[letters];
        roots = new long[chains];
        // Initialises the classes of cells while there is one thread.
        WatchwordKept.add(new WatchwordCell());
        operations = new long[1024];
        tests = new int[0];
        WatchwordChoices.prepare();
    }

    static void letter(int letter, int which, long next, int report, int info) {
        WatchwordTables.next[letter << 4 | which] = next;
        reports[letter << 4 | which] = report;
        infos[letter] = info;
    }

    static synchronized void site(int site, long operations, long choices) {
        long[] all = WatchwordTables.operations;
        int place = site << 1;
        if (place >= all.length) {
            all = Arrays.copyOf(all, place << 1);
        }
        all[place + 1] = choices;
        all[place] = operations;
        WatchwordTables.operations = all;
    }

    static synchronized void test(int site, int choices) {
        int[] all = tests;
        if (site >= all.length) {
            all = Arrays.copyOf(all, Math.max(1024, site << 1));
        }
        all[site] = choices;
        tests = all;
    }

    /** The code that a code leads to. */
    static int after(long next, int code) {
        return (int) (next >>> (code << 2)) & 15;
    }
}
