package java.util;

/** A slice of several objects: the state of a leaf (or middle) with respect to one root. */
public final class WatchwordLink {
    /** The cell of the root. */
    WatchwordCell up;
    /** The cell of the middle; null if the chain has none, or if this is the middle's own link. */
    WatchwordCell middle;
    WatchwordLink next;
    /** The root's, of this chain. */
    WatchwordEpoch epoch;
    int chain;
    int state;
    /** The epoch of the root that {@code state} is of. */
    int stamp;

    WatchwordLink() {}

    /** A link to a root as it is now. Whoever makes one has looked at the root. */
    WatchwordLink(WatchwordCell up, WatchwordEpoch epoch, WatchwordCell middle, int state) {
        this.up = up;
        this.epoch = epoch;
        this.middle = middle;
        this.state = state;
        chain = epoch.chain & 255;
        stamp = epoch.count;
        epoch.looked = true;
    }

    /** A list of links with the same content. */
    static WatchwordLink copies(WatchwordLink links) {
        WatchwordLink first = null;
        WatchwordLink last = null;
        for (WatchwordLink link = links; link != null; link = link.next) {
            WatchwordLink copy = new WatchwordLink();
            copy.up = link.up;
            copy.middle = link.middle;
            copy.epoch = link.epoch;
            copy.chain = link.chain;
            copy.state = link.state;
            copy.stamp = link.stamp;
            if (last == null) {
                first = copy;
            } else {
                last.next = copy;
            }
            last = copy;
        }
        return first;
    }

    /** Whether two lists have the same content. */
    static boolean alike(WatchwordLink a, WatchwordLink b) {
        while (a != b) {
            if (a == null || b == null || a.up != b.up || a.middle != b.middle
                    || a.chain != b.chain || a.state != b.state || a.stamp != b.stamp) {
                return false;
            }
            a = a.next;
            b = b.next;
        }
        return true;
    }

    /** Whether the root has not changed since the state was computed. */
    boolean isCurrent() {
        return epoch.count == stamp;
    }
}
