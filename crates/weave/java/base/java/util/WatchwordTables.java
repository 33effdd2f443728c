package java.util;

/** The properties whose state is in the objects, as the agent describes them. */
final class WatchwordTables {
    /** The size of an operation. */
    static final int OPERATION_BITS = 15;

    /** By letter and flag: the code each code leads to, four bits for each. */
    static long[] next;
    /** By letter and flag: from which codes the step is reported, a bit for each. */
    static int[] reports;
    /** By letter: role, lane or chain (from bit 8), the counter of instances (from bit 16). */
    static int[] infos;
    /** By chain: the code each code leads to when the root changes. */
    static long[] roots;
    /**
     * By site: up to four operations, the first in the lowest bits; negative if the engine wants
     * the event as well. An operation is a letter (from bit 3), whether its flag is the hook's number
     * (bit 2), and whether its second (bit 1) and first object (bit 0) are the hook's second.
     */
    static long[] operations;

    private WatchwordTables() {}

    static void prepare(int letters, int chains) {
        next = new long[3 * letters];
        reports = new int[3 * letters];
        infos = new int[letters];
        roots = new long[chains];
        // Initialises the classes of cells while there is one thread.
        new WatchwordCell();
        operations = new long[1024];
    }

    static void letter(int letter, int flag, long next, int report, int info) {
        WatchwordTables.next[3 * letter + flag] = next;
        reports[3 * letter + flag] = report;
        infos[letter] = info;
    }

    static synchronized void site(int site, long operations) {
        long[] all = WatchwordTables.operations;
        if (site >= all.length) {
            all = Arrays.copyOf(all, site << 1);
        }
        all[site] = operations;
        WatchwordTables.operations = all;
    }

    /** The code that a code leads to. */
    static int after(long next, int code) {
        return (int) (next >>> (code << 2)) & 15;
    }
}
