package java.util;

/** What an event led to last time: from one shared cell to the next. */
public final class WatchwordEdge {
    /** The event: see {@link WatchwordSteps#key}. */
    final long key;
    /** The cell before; null if the object had none. */
    final WatchwordCell from;
    final WatchwordShared to;
    /** The counter of the instances that begin this way; 0 if none does. */
    final int counter;
    /** Positive once it was of use; otherwise minus how often it was out of date. */
    int used;

    WatchwordEdge(long key, WatchwordCell from, WatchwordShared to, int counter) {
        this.key = key;
        this.from = from;
        this.to = to;
        this.counter = counter;
    }

    boolean is(long key, WatchwordCell from) {
        return this.key == key && this.from == from;
    }
}
