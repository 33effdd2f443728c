package java.util;

import jdk.internal.vm.annotation.DontInline;

/**
 * Events of properties whose state is in the objects: one step per operation of a site.
 *
 * <p>Methods that few events need are compiled apart. One in the other they make code that takes a
 * JVM long to compile, again each time something in one of them turns out to be possible.
 */
final class WatchwordSteps {
    /** Beside a site: several properties are told of the event. */
    static final int SEVERAL = 1 << 30;
    /** Sites from here on cannot be remembered. */
    private static final int SITES = 0xf_fffe;

    /** The cells of objects that cannot hold one, by identity. */
    private static HashMap<Long, WatchwordCell> sides;

    private WatchwordSteps() {}

    /** The cell of an object; null if it has none. */
    static WatchwordCell find(Object object) {
        if (object instanceof WatchwordTracked) {
            return ((WatchwordTracked) object).$watchword$cell();
        }
        if (object == null || sides == null) {
            return null;
        }
        return beside(WatchwordAgent.agent.side(object), false);
    }

    /** The cell of an object, its own. */
    @DontInline
    private static WatchwordCell make(Object object) {
        if (object instanceof WatchwordTracked) {
            return WatchwordCell.own((WatchwordTracked) object);
        }
        return beside(WatchwordAgent.agent.side(object), true);
    }

    @DontInline
    private static synchronized WatchwordCell beside(long id, boolean make) {
        if (sides == null) {
            sides = new HashMap<>();
        }
        WatchwordAgent agent = WatchwordAgent.agent;
        for (long gone = agent.gone(); gone != 0; gone = agent.gone()) {
            sides.remove(gone);
        }
        WatchwordCell cell = sides.get(id);
        if (cell == null && make) {
            cell = new WatchwordCell();
            cell.id = id;
            sides.put(id, cell);
        }
        return cell;
    }

    /** The cell of a root or a middle: its own, with its identity. */
    private static WatchwordCell named(Object object) {
        WatchwordCell cell = make(object);
        if (cell.id == 0) {
            cell.id = WatchwordIdentity.of(object);
        }
        return cell;
    }

    /** How the history knows a site and a case, of which it keeps one bit; 0 if it cannot. */
    static int tag(int site, int which) {
        int number = site & ~SEVERAL;
        if (number >= SITES) {
            return 0;
        }
        return number + 1 << 1 | which & 1 | site >>> 9 & WatchwordCell.SEVERAL;
    }

    /** How edges know an event. Bits 26 to 29 are for a state. */
    static long key(int site, int letter, int which) {
        return (long) which << 48 | (long) letter << 32 | tag(site, which);
    }

    /** An event of one letter, and which case of it. */
    static void act(int site, int letter, Object first, Object second, int which) {
        WatchwordCounts.count(letter);
        work(site, letter, first, second, which);
    }

    /** The same without counting it. Where the heap has no room for what it makes, there are no more events. */
    @DontInline
    static void work(int site, int letter, Object first, Object second, int which) {
        try {
            step(site, letter, first, second, which);
        } catch (OutOfMemoryError e) {
            WatchwordAgent.exhaust();
        }
    }

    @DontInline
    private static void step(int site, int letter, Object first, Object second, int which) {
        int info = WatchwordTables.infos[letter];
        long next = WatchwordTables.next[letter << 4 | which];
        int report = WatchwordTables.reports[letter << 4 | which];
        switch (info & 7) {
            case 0:
                lane(site, letter, first, which, info, next, report);
                return;
            case 1:
                leaf(site, letter, first, which, info, next, report);
                return;
            case 2:
                root(site, first, which, info, next);
                return;
            case 3:
                link(site, letter, first, second, which, info, next, report);
                return;
            default:
                grow(site, letter, first, second, which, info, next, report);
        }
    }

    private static int chain(int info) {
        return info >>> 8 & 255;
    }

    @DontInline
    private static void lane(
            int site, int letter, Object object, int which, int info, long next, int report) {
        int shift = info >>> 8 & 255;
        int counter = info >>> 16;
        for (;;) {
            WatchwordCell cell = find(object);
            if (cell == null && object == null) {
                return;
            }
            int state = cell == null ? 0 : cell.code(shift);
            if ((report >>> state & 1) != 0) {
                break;
            }
            if (WatchwordTables.after(next, state) == state) {
                return;
            }
            if (!(object instanceof WatchwordTracked)
                    || cell != null && !(cell instanceof WatchwordShared)) {
                break;
            }
            WatchwordShared from = cell == null ? WatchwordCell.BLANK : (WatchwordShared) cell;
            WatchwordEdge edge =
                    from.lane(key(site, letter, which), shift, next, tag(site, which), counter);
            if (edge == null) {
                break;
            }
            if (follow(object, cell, edge)) {
                return;
            }
        }
        WatchwordCell cell = make(object);
        int before = cell.move(shift, next, tag(site, which));
        if (before == 0) {
            WatchwordCounts.count(counter);
        }
        if ((report >>> before & 1) != 0) {
            WatchwordAgent.agent.told(
                    site, letter, which, WatchwordIdentity.of(object), 0, 0, before, cell.h0,
                    cell.h1);
        }
    }

    @DontInline
    private static void leaf(
            int site, int letter, Object object, int which, int info, long next, int report) {
        int chain = chain(info);
        WatchwordCell cell;
        for (;;) {
            cell = find(object);
            if (cell == null || isCalm(cell, chain, next, report)) {
                return;
            }
            if (!(cell instanceof WatchwordShared)) {
                break;
            }
            WatchwordEdge edge = !isQuiet(cell, chain, report) ? null
                    : ((WatchwordShared) cell).leaf(
                            key(site, letter, which), chain, next, tag(site, which));
            if (edge == null) {
                cell = make(object);
                break;
            }
            if (follow(object, cell, edge)) {
                return;
            }
        }
        long root = WatchwordTables.roots[chain];
        int tag = tag(site, which);
        for (WatchwordLink link = cell.links; link != null; link = link.next) {
            if (link.chain == chain) {
                int told = cell.step(link, next, report, root, tag);
                tell(site, letter, which, object, cell, link.up, link.middle, told);
                // The history has an event once.
                tag |= WatchwordCell.SEVERAL;
            }
        }
    }

    /** Reports what is to be reported of a slice: the code before plus one; 0 if nothing is. */
    private static void tell(
            int site, int letter, int which, Object leaf, WatchwordCell cell, WatchwordCell up,
            WatchwordCell middle, int told) {
        if (told != 0) {
            WatchwordAgent.agent.told(
                    site, letter, which, WatchwordIdentity.of(leaf), WatchwordCell.idOf(middle),
                    up.id, told - 1, cell.h0, cell.h1);
        }
    }

    private static void root(int site, Object object, int which, int info, long next) {
        if (next == WatchwordTables.NOTHING) {
            return;
        }
        WatchwordCell cell = find(object);
        int chain = chain(info);
        if (cell != null && cell.isLookedAt(chain)) {
            cell.bump(chain, tag(site, which));
        }
    }

    @DontInline
    private static void link(
            int site, int letter, Object root, Object child, int which, int info, long next,
            int report) {
        if (root == null || child == null) {
            return;
        }
        if (WatchwordTables.after(next, 0) == 0) {
            WatchwordCell cell = find(child);
            if (cell == null || cell.links == null) {
                return;
            }
        }
        WatchwordCell up = named(root);
        WatchwordEpoch epoch = up.epoch(chain(info));
        if (epoch == null) {
            epoch = up.ready(chain(info));
        }
        join(site, letter, which, child, up, up, epoch, null, info, next, report, 0);
    }

    @DontInline
    private static void grow(
            int site, int letter, Object middle, Object leaf, int which, int info, long next,
            int report) {
        if (leaf == null) {
            return;
        }
        WatchwordCell cell = find(middle);
        if (cell == null || cell.links == null) {
            return;
        }
        cell = named(middle);
        int chain = chain(info);
        cell.catchUp(chain, WatchwordTables.roots[chain]);
        WatchwordCell anchor = only(cell, chain) == null ? null : cell;
        for (WatchwordLink link = cell.links; link != null; link = link.next) {
            if (link.chain == chain && link.middle == null) {
                join(site, letter, which, leaf, anchor, link.up, link.epoch, cell, info, next,
                        report, link.state);
            }
        }
    }

    /** Joins a leaf to a root; {@code anchor} is the cell that has the edges, null if none has. */
    @DontInline
    private static void join(
            int site, int letter, int which, Object leaf, WatchwordCell anchor, WatchwordCell up,
            WatchwordEpoch epoch, WatchwordCell middle, int info, long next, int report, int from) {
        int chain = chain(info);
        int state = WatchwordTables.after(next, from);
        WatchwordCell cell = find(leaf);
        if (cell == null || cell.linkTo(chain, up, middle) == null) {
            if (state == from) {
                return;
            }
            boolean shares = (report >>> from & 1) == 0 && anchor != null
                    && leaf instanceof WatchwordTracked
                    && (cell == null || cell instanceof WatchwordShared);
            if (shares) {
                long key = key(site, letter, which) | (long) from << 26;
                WatchwordEdge edge = anchor.join(
                        key, cell, up, epoch, middle, state, tag(site, which), info >>> 16);
                if (edge != null && follow(leaf, cell, edge)) {
                    return;
                }
            }
        }
        cell = make(leaf);
        int told = cell.link(
                up, epoch, middle, chain, next, report, WatchwordTables.roots[chain],
                tag(site, which), from);
        if ((told & WatchwordCell.NEW) != 0) {
            WatchwordCounts.count(info >>> 16);
        }
        tell(site, letter, which, leaf, cell, up, middle, told & ~WatchwordCell.NEW);
    }

    /** Lets an object take a step between shared cells; false if it has another cell by now. */
    private static boolean follow(Object object, WatchwordCell cell, WatchwordEdge edge) {
        if (!((WatchwordTracked) object).$watchword$swap(cell, edge.to)) {
            return false;
        }
        if (edge.counter != 0) {
            WatchwordCounts.count(edge.counter);
        }
        return true;
    }

    /** Whether an event of one object was seen in this situation before, and is done again. */
    static boolean isMoved(Object object, WatchwordCell cell, long key) {
        WatchwordCell from = cell;
        if (cell == null) {
            if (!(object instanceof WatchwordTracked)) {
                return false;
            }
            from = WatchwordCell.BLANK;
        } else if (!(cell instanceof WatchwordShared)) {
            return false;
        }
        WatchwordEdge edge = from.edge(key, from);
        return edge != null && follow(object, cell, edge);
    }

    /** The same for an object that is joined to the one that has a cell. */
    private static boolean isJoined(WatchwordCell anchor, Object object, long key) {
        if (anchor == null || !(object instanceof WatchwordTracked)) {
            return false;
        }
        WatchwordCell cell = ((WatchwordTracked) object).$watchword$cell();
        WatchwordEdge edge = anchor.edge(key, cell);
        if (edge == null) {
            return false;
        }
        if (!edge.to.links.isCurrent()) {
            return false;
        }
        if (edge.used <= 0) {
            edge.used = 1;
        }
        return follow(object, cell, edge);
    }

    /** The same for an object that is joined to a root. */
    static boolean isLinked(Object root, Object object, long key) {
        return isJoined(find(root), object, key);
    }

    /** The same for one joined to a middle, whose state has to be that of the time before. */
    static boolean isGrown(Object middle, Object object, long key, int chain) {
        WatchwordCell cell = find(middle);
        if (cell == null) {
            return false;
        }
        WatchwordLink link = only(cell, chain);
        return link != null && link.isCurrent()
                && isJoined(cell, object, key | (long) link.state << 26);
    }

    /** The link of a middle to a root, if there is exactly one of that chain. */
    private static WatchwordLink only(WatchwordCell cell, int chain) {
        WatchwordLink found = null;
        for (WatchwordLink link = cell.links; link != null; link = link.next) {
            if (link.chain == chain && link.middle == null) {
                if (found != null) {
                    return null;
                }
                found = link;
            }
        }
        return found;
    }

    /** Whether an event of a leaf changes none of its links. */
    static boolean isCalm(WatchwordCell cell, int chain, long next, int report) {
        for (WatchwordLink link = cell.links; link != null; link = link.next) {
            if (link.chain == chain) {
                if (!link.isCurrent()) {
                    return false;
                }
                int state = link.state;
                if (WatchwordTables.after(next, state) != state || (report >>> state & 1) != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Whether no link of a chain has to catch up or to be reported. */
    private static boolean isQuiet(WatchwordCell cell, int chain, int report) {
        for (WatchwordLink link = cell.links; link != null; link = link.next) {
            if (link.chain == chain
                    && (!link.isCurrent() || (report >>> link.state & 1) != 0)) {
                return false;
            }
        }
        return true;
    }
}
