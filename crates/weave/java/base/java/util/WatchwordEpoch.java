package java.util;

/** How often a root changed, for the links of one chain. */
final class WatchwordEpoch {
    final byte chain;
    /** Whether anybody has looked since the last change. */
    boolean looked;
    int count;
    /** That of another chain. */
    final WatchwordEpoch next;

    WatchwordEpoch(int chain, WatchwordEpoch next) {
        this.chain = (byte) chain;
        this.next = next;
    }
}
