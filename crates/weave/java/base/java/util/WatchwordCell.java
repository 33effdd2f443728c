package java.util;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * What an object holds for properties whose state is in the objects.
 *
 * <p>What changes nothing is found out without a lock; lanes change in one atomic step; what is
 * more than that is done in a synchronized method. Events of a root only count: a link whose stamp is
 * another number than that of its root catches up when it is its turn, and copies the place of the
 * root's last change into the history of its own cell.
 *
 * <p>Where the program enforces no order, either order is right: an event happens when its thread
 * looks. What an order of the program enforces is seen, because the fields are read after and
 * written before whatever enforces it.
 */
public class WatchwordCell {
    static final Unsafe UNSAFE = Unsafe.getUnsafe();
    /** Where the words of lanes are. */
    private static final long[] LANES = {
        UNSAFE.objectFieldOffset(WatchwordCell.class, "lanes"),
        UNSAFE.objectFieldOffset(WatchwordCell.class, "lanes1"),
        UNSAFE.objectFieldOffset(WatchwordCell.class, "lanes2"),
        UNSAFE.objectFieldOffset(WatchwordCell.class, "lanes3"),
    };
    /** The cell of all objects that have none. */
    static final WatchwordShared BLANK = new WatchwordShared();
    /** The edges of a cell to which one object was joined so far. */
    private static final WatchwordEdge[] ONCE = {};

    /** Twenty-one bits of a history: a site and a bit of a case. */
    static final int TAG = 0x1f_ffff;
    /** Beside a tag: several properties may say the same of one event, which is kept once. */
    static final int SEVERAL = 0x20_0000;

    /** Beside what is to be reported: the link is new. */
    static final int NEW = 32;

    /** How many edges a cell keeps, and how many {@link #BLANK} does. */
    private static final int EDGES = 64;
    private static final int EDGES_OF_ALL = 4096;
    /** Objects with more links than this do not share cells. */
    private static final int SHARED_LINKS = 8;
    /** An edge that was out of date so often, and never of use, is made anew. */
    private static final int PATIENCE = 8;

    static {
        BLANK.top = BLANK;
    }

    /** Four bits per property of one parameter: the code of its state. Lanes from bit 64 on follow. */
    long lanes;
    long lanes1;
    long lanes2;
    long lanes3;
    /** The last six events that changed something, the last one in the lowest bits. */
    long h0;
    long h1;
    /** The identity of an object that is a root or a middle, or has it here. */
    long id;
    /** The slices of which the object is the leaf or the middle. */
    WatchwordLink links;
    /** Of a root: how often it changed, for each chain that it has links of. */
    WatchwordEpoch epochs;
    /** What follows. */
    WatchwordEdge[] edges;

    WatchwordCell() {}

    /** Replaces the cell of an object; {@code place} is its offset in a class, 0 if not known. */
    public static boolean swap(
            WatchwordTracked object, long place, Class<?> holder, WatchwordCell before,
            WatchwordCell after) {
        if (place == 0) {
            place = UNSAFE.objectFieldOffset(holder, "$watchword$cell");
            object.$watchword$setPlace(place);
        }
        return UNSAFE.compareAndSetReference(object, place, before, after);
    }

    /** The same for old class files, whose code cannot name its class. */
    public static synchronized boolean swap(
            WatchwordTracked object, WatchwordCell before, WatchwordCell after) {
        if (object.$watchword$cell() != before) {
            return false;
        }
        object.$watchword$setCell(after);
        return true;
    }

    /** The identity in a cell. */
    public static long idOf(WatchwordCell cell) {
        return cell == null ? 0 : cell.id;
    }

    /** Sets the identity of an object that has it in its cell. */
    public static void name(WatchwordTracked object, long id) {
        own(object).id = id;
    }

    /** The cell of an object, its own. */
    @DontInline
    static WatchwordCell own(WatchwordTracked object) {
        for (;;) {
            WatchwordCell cell = object.$watchword$cell();
            if (cell != null && !(cell instanceof WatchwordShared)) {
                return cell;
            }
            WatchwordCell fresh = new WatchwordCell();
            if (cell != null) {
                fresh.copy(cell);
                fresh.links = WatchwordLink.copies(cell.links);
            }
            if (object.$watchword$swap(cell, fresh)) {
                return fresh;
            }
        }
    }

    final void copy(WatchwordCell other) {
        lanes = other.lanes;
        lanes1 = other.lanes1;
        lanes2 = other.lanes2;
        lanes3 = other.lanes3;
        h0 = other.h0;
        h1 = other.h1;
    }

    /** Adds to the history; 0 is an event that cannot be remembered. */
    final void push(int tag) {
        if (tag == 0) {
            return;
        }
        if ((tag & SEVERAL) != 0) {
            tag &= TAG;
            if (((int) h0 & TAG) == tag) {
                return;
            }
        }
        h1 = (h1 << 21 | h0 >>> 42) & Long.MAX_VALUE;
        h0 = (h0 << 21 | tag) & Long.MAX_VALUE;
    }

    /** The code in the lane at a bit. */
    final int code(int shift) {
        return (int) (lanes(shift) >>> shift) & 15;
    }

    /** The lanes in the word with that bit; of its number, shifts look at the last six bits only. */
    final long lanes(int shift) {
        switch (shift >>> 6) {
            case 0: return lanes;
            case 1: return lanes1;
            case 2: return lanes2;
            default: return lanes3;
        }
    }

    /** Whether all lanes have the codes of another cell's. */
    final boolean hasLanesOf(WatchwordCell other) {
        return lanes == other.lanes && lanes1 == other.lanes1 && lanes2 == other.lanes2
                && lanes3 == other.lanes3;
    }

    /** Lanes after one of them has left a code. */
    static long moved(long lanes, int shift, int code, long next) {
        return lanes ^ (long) (code ^ WatchwordTables.after(next, code)) << shift;
    }

    /** Moves a lane; returns the code before. */
    final int move(int shift, long next, int tag) {
        for (;;) {
            int code = code(shift);
            if (moveFrom(shift, next, code, tag)) {
                return code;
            }
        }
    }

    /** Moves a lane if it has that code; returns whether it has moved. */
    final boolean moveFrom(int shift, long next, int code, int tag) {
        long before = lanes(shift);
        if (((int) (before >>> shift) & 15) != code) {
            return false;
        }
        long after = moved(before, shift, code, next);
        if (!UNSAFE.compareAndSetLong(this, LANES[shift >>> 6], before, after)) {
            return false;
        }
        push(tag);
        return true;
    }

    /** Lets a link catch up with its root. */
    private void refresh(WatchwordLink link, long root) {
        int count = link.epoch.count;
        if (count == link.stamp) {
            return;
        }
        link.stamp = count;
        link.epoch.looked = true;
        int state = WatchwordTables.after(root, link.state);
        if (state != link.state) {
            link.state = state;
            push((int) link.up.h0 & TAG);
        }
    }

    /** Lets all links of a chain catch up. */
    @DontInline
    final synchronized void catchUp(int chain, long root) {
        for (WatchwordLink link = links; link != null; link = link.next) {
            if (link.chain == chain) {
                refresh(link, root);
            }
        }
    }

    /**
     * Lets a link catch up with its root and take a step; returns the code before plus one if that
     * is to be reported, else 0.
     */
    @DontInline
    final synchronized int step(WatchwordLink link, long next, int report, long root, int tag) {
        refresh(link, root);
        int before = link.state;
        int after = WatchwordTables.after(next, before);
        int told = (report >>> before & 1) * (before + 1);
        link.state = after;
        if (told != 0 || before != after) {
            push(tag);
        }
        return told;
    }

    /** The link to a root and a middle; null if there is none. */
    final WatchwordLink linkTo(int chain, WatchwordCell up, WatchwordCell middle) {
        for (WatchwordLink link = links; link != null; link = link.next) {
            if (link.chain == chain && link.up == up && link.middle == middle) {
                return link;
            }
        }
        return null;
    }

    /**
     * An event of this object with a root, and with a middle if there is one; {@code from} is the
     * state that a new link leaves. Returns what {@link #step} does, and {@link #NEW} beside it if
     * a link begins.
     */
    @DontInline
    final synchronized int link(
            WatchwordCell up, WatchwordEpoch epoch, WatchwordCell middle, int chain, long next,
            int report, long root, int tag, int from) {
        WatchwordLink link = linkTo(chain, up, middle);
        if (link != null) {
            return step(link, next, report, root, tag);
        }
        int state = WatchwordTables.after(next, from);
        if (state == from) {
            return 0;
        }
        link = new WatchwordLink(up, epoch, middle, state);
        link.next = links;
        links = link;
        push(tag);
        return (report >>> from & 1) * (from + 1) | NEW;
    }

    /** The epoch of a chain; null if there was no link of it. */
    final WatchwordEpoch epoch(int chain) {
        WatchwordEpoch epoch = epochs;
        while (epoch != null && (epoch.chain & 255) != chain) {
            epoch = epoch.next;
        }
        return epoch;
    }

    /** Makes this the cell of a root of a chain. */
    @DontInline
    final synchronized WatchwordEpoch ready(int chain) {
        WatchwordEpoch epoch = epoch(chain);
        if (epoch == null) {
            epoch = new WatchwordEpoch(chain, epochs);
            epochs = epoch;
        }
        return epoch;
    }

    /** Whether somebody has looked at the root of a chain since it changed. */
    final boolean isLookedAt(int chain) {
        WatchwordEpoch epoch = epoch(chain);
        return epoch != null && epoch.looked;
    }

    /** A root changes. */
    @DontInline
    final synchronized void bump(int chain, int tag) {
        WatchwordEpoch epoch = epoch(chain);
        // First this: who looks in between has looked at the root before it changed.
        epoch.looked = false;
        UNSAFE.storeFence();
        epoch.count++;
        push(tag);
    }

    private static int place(long key, WatchwordEdge[] edges) {
        return (int) (key ^ key >>> 32) * 0x9e3779b1 >>> 20 & edges.length - 1;
    }

    /** The edge of an event; null if there is none. */
    final WatchwordEdge edge(long key, WatchwordCell from) {
        WatchwordEdge[] edges = this.edges;
        if (edges == null || edges.length == 0) {
            return null;
        }
        int place = place(key, edges);
        WatchwordEdge edge = edges[place];
        if (edge != null && edge.is(key, from)) {
            return edge;
        }
        edge = edges[place ^ 1];
        return edge != null && edge.is(key, from) ? edge : null;
    }

    private static boolean isFree(WatchwordEdge there, WatchwordEdge edge) {
        return there == null || there.is(edge.key, edge.from);
    }

    /** Puts an edge where it belongs, if that is free or its own place. */
    private static boolean put(WatchwordEdge edge, WatchwordEdge[] edges) {
        int place = place(edge.key, edges);
        if (!isFree(edges[place], edge)) {
            place ^= 1;
            if (!isFree(edges[place], edge)) {
                return false;
            }
        }
        edges[place] = edge;
        return true;
    }

    /** Keeps an edge; if there is no room for all of them, instead of another. */
    @DontInline
    final void keep(WatchwordEdge edge) {
        WatchwordEdge[] edges = this.edges;
        if (edges == null || edges.length == 0) {
            edges = new WatchwordEdge[2];
        }
        while (!put(edge, edges)) {
            if (edges.length >= (this == BLANK ? EDGES_OF_ALL : EDGES)) {
                edges[place(edge.key, edges)] = edge;
                break;
            }
            WatchwordEdge[] old = edges;
            edges = new WatchwordEdge[old.length << 1];
            for (WatchwordEdge kept : old) {
                if (kept != null) {
                    put(kept, edges);
                }
            }
        }
        if (edges != this.edges) {
            this.edges = edges;
        }
    }

    /**
     * The edge of an event that joins objects to the one that has this cell, and whose root is
     * {@code up}. Null if it is better that the object has a cell of its own: because it is the
     * first, or because the root has always changed before another one came.
     */
    @DontInline
    final synchronized WatchwordEdge join(
            long key, WatchwordCell from, WatchwordCell up, WatchwordEpoch epoch,
            WatchwordCell middle, int state, int tag, int counter) {
        if (edges == null) {
            edges = ONCE;
            return null;
        }
        WatchwordEdge edge = edge(key, from);
        if (edge != null) {
            if (edge.to.links.isCurrent()) {
                return edge;
            }
            if (edge.used <= 0) {
                edge.used--;
                if (edge.used >= -PATIENCE) {
                    return null;
                }
            }
        }
        WatchwordShared to = new WatchwordShared();
        WatchwordLink links = null;
        if (from != null) {
            int count = 0;
            for (WatchwordLink link = from.links; link != null; link = link.next) {
                count++;
                if (count >= SHARED_LINKS) {
                    return null;
                }
            }
            to.copy(from);
            links = from.links;
        }
        to.links = new WatchwordLink(up, epoch, middle, state);
        to.links.next = links;
        to.top = to;
        to.push(tag);
        boolean isMore = edge == null;
        edge = new WatchwordEdge(key, from, to, counter);
        keep(edge);
        if (isMore) {
            // After it is there: its cell may have lost all others in between.
            WatchwordKept.add(this);
        }
        return edge;
    }
}
