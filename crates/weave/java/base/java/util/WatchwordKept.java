package java.util;

/**
 * The cells that keep edges of objects that were joined to them. Edges only save work, and take more
 * room than all else that a collection has here: half a kilobyte for each place where it is iterated. So
 * there are a bounded number of them, and a new one ends those of the cell that had one the longest time ago.
 */
final class WatchwordKept {
    /** How many bytes of heap there are to one edge, and at most how many edges. */
    private static final int SHARE = 1 << 15;
    private static final int MOST = 1 << 13;

    /** A cell for each edge. */
    static WatchwordCell[] cells = new WatchwordCell[size()];
    static int next;

    private WatchwordKept() {}

    private static int size() {
        long fitting = Runtime.getRuntime().maxMemory() / SHARE;
        return (int) Math.max(256, Math.min(MOST, fitting));
    }

    /** A cell has an edge more. */
    static synchronized void add(WatchwordCell cell) {
        WatchwordCell before = cells[next];
        if (before != null) {
            before.edges = null;
        }
        cells[next] = cell;
        next = (next + 1) % cells.length;
    }
}
