package java.util;

import jdk.internal.vm.annotation.DontInline;

/**
 * What woven code calls. For every shape of up to four objects and four numbers there is a method
 * {@code e}, and {@code t}, which does nothing if a test that woven code made without a branch has
 * failed. Larger shapes pass arrays.
 *
 * <p>In a package of {@code java.base}, because every class loader has to delegate {@code java.*}:
 * woven classes are defined by loaders that know nothing else.
 */
public class WatchwordHook {
    /** Whether there is an agent that can be asked. */
    static boolean live;
    /** How many threads do something on the agent's behalf, which raises no events. */
    static int muted;

    protected WatchwordHook() {}

    private static long id(Object object) {
        return WatchwordIdentity.of(object);
    }

    static synchronized void mute(int by) {
        muted += by;
    }

    /** Does what a site has operations for; returns whether nothing is left for the agent. */
    @DontInline
    private static boolean handled(int site, Object first, Object second, long number) {
        long[] all = WatchwordTables.operations;
        if (all == null) {
            return false;
        }
        int[] tests = WatchwordTables.tests;
        int test = site < tests.length ? tests[site] : 0;
        if (test != 0 && !WatchwordChoices.pass(test, first, second)) {
            return true;
        }
        int place = site << 1;
        if (place >= all.length) {
            return false;
        }
        long operations = all[place];
        if (operations == 0) {
            return false;
        }
        if (muted != 0 && WatchwordAgent.agent.inside()) {
            return true;
        }
        long rest = operations & Long.MAX_VALUE;
        long choices = all[place + 1];
        if (rest >>> WatchwordTables.OPERATION_BITS != 0) {
            site |= WatchwordSteps.SEVERAL;
        }
        do {
            int operation = (int) rest & (1 << WatchwordTables.OPERATION_BITS) - 1;
            int choice = (int) choices & (1 << WatchwordTables.CHOICE_BITS) - 1;
            WatchwordSteps.act(
                    site, operation >>> 2, (operation & 1) != 0 ? second : first,
                    (operation & 2) != 0 ? second : first,
                    choice == 0 ? 0 : WatchwordChoices.of(choice, first, second, number));
            rest >>>= WatchwordTables.OPERATION_BITS;
            choices >>>= WatchwordTables.CHOICE_BITS;
        } while (rest != 0);
        return operations > 0;
    }

    /**
     * Whether a method of this name that woven code called, or the woven method itself if there is no
     * name, has thrown an exception itself, which says what it must. False if the test that woven code made
     * before has failed.
     */
    @DontInline
    public static boolean itself(boolean is, Object thrown, String called, String saying) {
        return is && live && WatchwordThrown.says((Throwable) thrown, saying)
                && WatchwordThrown.byCalled((Throwable) thrown, called, false);
    }

    /** Whether, in the same way, a method of the JDK has thrown it. */
    @DontInline
    public static boolean jdk(boolean is, Object thrown, String called, String saying) {
        return is && live && WatchwordThrown.says((Throwable) thrown, saying)
                && WatchwordThrown.byCalled((Throwable) thrown, called, true);
    }

    public static void e(int site) {
        if (live && !handled(site, null, null, 0)) {
            WatchwordAgent.agent.event(site);
        }
    }

    public static void t(boolean is, int site) { if (is) e(site); }

    public static void e(int site, long x) {
        if (live && !handled(site, null, null, x)) {
            WatchwordAgent.agent.event(site, x);
        }
    }

    public static void t(boolean is, int site, long x) { if (is) e(site, x); }

    public static void e(int site, long x, long y) {
        if (live) {
            WatchwordAgent.agent.event(site, x, y);
        }
    }

    public static void t(boolean is, int site, long x, long y) { if (is) e(site, x, y); }

    public static void e(int site, long x, long y, long z) {
        if (live) {
            WatchwordAgent.agent.event(site, x, y, z);
        }
    }

    public static void t(boolean is, int site, long x, long y, long z) { if (is) e(site, x, y, z); }

    public static void e(int site, long x, long y, long z, long w) {
        if (live) {
            WatchwordAgent.agent.event(site, x, y, z, w);
        }
    }

    public static void t(boolean is, int site, long x, long y, long z, long w) {
        if (is) e(site, x, y, z, w);
    }

    public static void e(int site, Object a) {
        if (live && !handled(site, a, null, 0)) {
            WatchwordAgent.agent.event(site, a, id(a));
        }
    }

    public static void t(boolean is, int site, Object a) { if (is) e(site, a); }

    public static void e(int site, Object a, long x) {
        if (live && !handled(site, a, null, x)) {
            WatchwordAgent.agent.event(site, a, id(a), x);
        }
    }

    public static void t(boolean is, int site, Object a, long x) { if (is) e(site, a, x); }

    public static void e(int site, Object a, long x, long y) {
        if (live) {
            WatchwordAgent.agent.event(site, a, id(a), x, y);
        }
    }

    public static void t(boolean is, int site, Object a, long x, long y) {
        if (is) e(site, a, x, y);
    }

    public static void e(int site, Object a, long x, long y, long z) {
        if (live) {
            WatchwordAgent.agent.event(site, a, id(a), x, y, z);
        }
    }

    public static void t(boolean is, int site, Object a, long x, long y, long z) {
        if (is) e(site, a, x, y, z);
    }

    public static void e(int site, Object a, long x, long y, long z, long w) {
        if (live) {
            WatchwordAgent.agent.event(site, a, id(a), x, y, z, w);
        }
    }

    public static void t(boolean is, int site, Object a, long x, long y, long z, long w) {
        if (is) e(site, a, x, y, z, w);
    }

    public static void e(int site, Object a, Object b) {
        if (live && !handled(site, a, b, 0)) {
            WatchwordAgent.agent.event(site, a, b, id(a), id(b));
        }
    }

    public static void t(boolean is, int site, Object a, Object b) { if (is) e(site, a, b); }

    public static void e(int site, Object a, Object b, long x) {
        if (live && !handled(site, a, b, x)) {
            WatchwordAgent.agent.event(site, a, b, id(a), id(b), x);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, long x) {
        if (is) e(site, a, b, x);
    }

    public static void e(int site, Object a, Object b, long x, long y) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, id(a), id(b), x, y);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, long x, long y) {
        if (is) e(site, a, b, x, y);
    }

    public static void e(int site, Object a, Object b, long x, long y, long z) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, id(a), id(b), x, y, z);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, long x, long y, long z) {
        if (is) e(site, a, b, x, y, z);
    }

    public static void e(int site, Object a, Object b, long x, long y, long z, long w) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, id(a), id(b), x, y, z, w);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, long x, long y, long z, long w) {
        if (is) e(site, a, b, x, y, z, w);
    }

    public static void e(int site, Object a, Object b, Object c) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, id(a), id(b), id(c));
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c) {
        if (is) e(site, a, b, c);
    }

    public static void e(int site, Object a, Object b, Object c, long x) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, id(a), id(b), id(c), x);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, long x) {
        if (is) e(site, a, b, c, x);
    }

    public static void e(int site, Object a, Object b, Object c, long x, long y) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, id(a), id(b), id(c), x, y);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, long x, long y) {
        if (is) e(site, a, b, c, x, y);
    }

    public static void e(int site, Object a, Object b, Object c, long x, long y, long z) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, id(a), id(b), id(c), x, y, z);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, long x, long y,
            long z) {
        if (is) e(site, a, b, c, x, y, z);
    }

    public static void e(int site, Object a, Object b, Object c, long x, long y, long z, long w) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, id(a), id(b), id(c), x, y, z, w);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, long x, long y,
            long z, long w) {
        if (is) e(site, a, b, c, x, y, z, w);
    }

    public static void e(int site, Object a, Object b, Object c, Object d) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, d, id(a), id(b), id(c), id(d));
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, Object d) {
        if (is) e(site, a, b, c, d);
    }

    public static void e(int site, Object a, Object b, Object c, Object d, long x) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, d, id(a), id(b), id(c), id(d), x);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, Object d, long x) {
        if (is) e(site, a, b, c, d, x);
    }

    public static void e(int site, Object a, Object b, Object c, Object d, long x, long y) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, d, id(a), id(b), id(c), id(d), x, y);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, Object d, long x,
            long y) {
        if (is) e(site, a, b, c, d, x, y);
    }

    public static void e(int site, Object a, Object b, Object c, Object d, long x, long y, long z) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, d, id(a), id(b), id(c), id(d), x, y, z);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, Object d, long x,
            long y, long z) {
        if (is) e(site, a, b, c, d, x, y, z);
    }

    public static void e(int site, Object a, Object b, Object c, Object d, long x, long y,
            long z, long w) {
        if (live) {
            WatchwordAgent.agent.event(site, a, b, c, d, id(a), id(b), id(c), id(d), x, y, z, w);
        }
    }

    public static void t(boolean is, int site, Object a, Object b, Object c, Object d, long x,
            long y, long z, long w) {
        if (is) e(site, a, b, c, d, x, y, z, w);
    }

    public static void e(int site, Object[] objects, long[] numbers) {
        if (live) {
            WatchwordAgent.agent.event(site, objects, numbers);
        }
    }

    public static void t(boolean is, int site, Object[] objects, long[] numbers) {
        if (is) e(site, objects, numbers);
    }
}
