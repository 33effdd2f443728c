package java.util;

import jdk.internal.vm.annotation.DontInline;

/**
 * A cell that many objects have in common; its content never changes.
 *
 * <p>Most monitored objects live shortly and do what others did before them: they are made at the
 * same place, and the same calls follow. So an object begins with a shared cell, and an event
 * replaces it by the one that the same event led to last time. {@code parent} leads back, so that a
 * loop finds the cell it has been in before.
 */
public final class WatchwordShared extends WatchwordCell {
    /** How many cells there may be under one top; more under that of all objects. */
    private static final int MOST = 256;
    private static final int MOST_OF_ALL = 16384;
    /** How far back a cell with the same content is looked for. */
    private static final int BACK = 16;

    WatchwordShared parent;
    WatchwordShared top;
    /** Of a top: how many cells are under it. */
    int size;

    WatchwordShared() {}

    /** A cell like this one, under the same top; null if there are too many. */
    private WatchwordShared successor() {
        if (top.size >= (top == BLANK ? MOST_OF_ALL : MOST)) {
            return null;
        }
        WatchwordShared next = new WatchwordShared();
        next.copy(this);
        next.links = links;
        next.parent = this;
        next.top = top;
        return next;
    }

    /** A cell that is to follow this one, or one with the same content on the way here. */
    @DontInline
    private WatchwordShared known(WatchwordShared next) {
        WatchwordShared cell = this;
        for (int left = BACK; cell != null && left > 0; left--) {
            if (cell.hasLanesOf(next) && cell.h0 == next.h0 && cell.h1 == next.h1
                    && WatchwordLink.alike(cell.links, next.links)) {
                return cell;
            }
            cell = cell.parent;
        }
        top.size++;
        return next;
    }

    /** The edge of an event that moves a lane; null if there are too many cells. */
    @DontInline
    synchronized WatchwordEdge lane(long key, int shift, long next, int tag, int counter) {
        WatchwordEdge edge = edge(key, this);
        if (edge != null) {
            return edge;
        }
        WatchwordShared to = successor();
        if (to == null) {
            return null;
        }
        int code = code(shift);
        to.moveFrom(shift, next, code, 0);
        return learn(key, to, tag, code == 0 ? counter : 0);
    }

    /** The edge of an event of a leaf; null if there are too many cells. */
    @DontInline
    synchronized WatchwordEdge leaf(long key, int chain, long next, int tag) {
        WatchwordEdge edge = edge(key, this);
        if (edge != null) {
            return edge;
        }
        WatchwordShared to = successor();
        if (to == null) {
            return null;
        }
        to.links = WatchwordLink.copies(links);
        for (WatchwordLink link = to.links; link != null; link = link.next) {
            if (link.chain == chain) {
                link.state = WatchwordTables.after(next, link.state);
            }
        }
        return learn(key, to, tag, 0);
    }

    @DontInline
    private WatchwordEdge learn(long key, WatchwordShared to, int tag, int counter) {
        to.push(tag);
        WatchwordEdge edge = new WatchwordEdge(key, this, known(to), counter);
        keep(edge);
        return edge;
    }
}
