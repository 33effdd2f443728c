package java.util;

/**
 * The border between the runtime and the agent. The agent calls the static methods, and answers the
 * others, by native code: JVMs warn about native methods of the JDK that somebody else registers,
 * so they are in a class of the agent's own package.
 */
public abstract class WatchwordAgent {
    /** The agent; null until it can be asked. */
    protected static WatchwordAgent agent;
    /** What the program gets back when its heap is full: what monitors have left in its objects stays there. */
    private static byte[] reserve;

    protected WatchwordAgent() {}

    /** Makes an agent known: before this, and before {@link #listen}, there are no events. */
    protected static void begin(WatchwordAgent agent) {
        WatchwordIdentity.prepare();
        WatchwordAgent.agent = agent;
    }

    static void listen() {
        WatchwordHook.live = true;
    }

    /** There are properties whose state is in the objects; what follows describes them. */
    static void inline(int letters, int chains, int counters) {
        reserve = new byte[(int) Math.min(1 << 20, Runtime.getRuntime().maxMemory() >> 8)];
        WatchwordCounts.prepare(counters);
        WatchwordTables.prepare(letters, chains);
    }

    static void letter(int letter, int which, long next, int report, int info) {
        WatchwordTables.letter(letter, which, next, report, info);
    }

    static void chain(int chain, long root) {
        WatchwordTables.roots[chain] = root;
    }

    static void choice(int choice, int cases) {
        WatchwordChoices.choice(choice, cases);
    }

    static void site(int site, long operations, long choices) {
        WatchwordTables.site(site, operations, choices);
    }

    static void test(int site, int choices) {
        WatchwordTables.test(site, choices);
    }

    static void mute(int by) {
        WatchwordHook.mute(by);
    }

    /** An event that the agent has been told of, for a property whose state is in the objects. */
    static void act(int site, int letter, Object first, Object second, int which) {
        WatchwordSteps.act(site, letter, first, second, which);
    }

    /** This thread ends; only called if there are properties whose state is in the objects. */
    static void ended() {
        WatchwordCounts.end();
    }

    static long[] total() {
        return WatchwordCounts.total();
    }

    /** There is no room for what events leave in objects: nothing is observed any more. */
    static void exhaust() {
        WatchwordHook.live = false;
        reserve = null;
        agent.exhausted();
    }

    static long id(Object object) {
        return WatchwordIdentity.of(object);
    }

    static long take() {
        return WatchwordIdentity.take();
    }

    /** A slice comes to be reported: the event, the objects, the code before, the history. */
    public abstract void told(
            int site, int letter, int which, long leaf, long middle, long root, int code, long h0,
            long h1);

    /** The cases that a choice has for objects of a class. */
    public abstract int cases(int choice, Class<?> type);

    /** Whether this thread does something on the agent's behalf. */
    public abstract boolean inside();

    /** The identity of an object that is gone and had its cell beside it; 0 if there is none. */
    public abstract long gone();

    /** The heap of the program is full. */
    public abstract void exhausted();

    /** The identity of an object that cannot hold one. */
    public abstract long side(Object object);

    /** The bits of identities that tell a class. */
    public abstract long number(Class<?> type);

    /** Members or interfaces without those that were added. */
    public abstract Object[] hide(Object[] members);

    // Events: the site, objects, their identities, numbers. An agent takes those it is made for.

    public void event(int site, Object[] objects, long[] numbers) {}
    public void event(int site) {}
    public void event(int site, long x) {}
    public void event(int site, long x, long y) {}
    public void event(int site, long x, long y, long z) {}
    public void event(int site, long x, long y, long z, long w) {}
    public void event(int site, Object a, long ia) {}
    public void event(int site, Object a, long ia, long x) {}
    public void event(int site, Object a, long ia, long x, long y) {}
    public void event(int site, Object a, long ia, long x, long y, long z) {}
    public void event(int site, Object a, long ia, long x, long y, long z, long w) {}
    public void event(int site, Object a, Object b, long ia, long ib) {}
    public void event(int site, Object a, Object b, long ia, long ib, long x) {}
    public void event(int site, Object a, Object b, long ia, long ib, long x, long y) {}
    public void event(int site, Object a, Object b, long ia, long ib, long x, long y,
            long z) {}
    public void event(int site, Object a, Object b, long ia, long ib, long x, long y,
            long z, long w) {}
    public void event(int site, Object a, Object b, Object c, long ia, long ib, long ic) {}
    public void event(int site, Object a, Object b, Object c, long ia, long ib, long ic,
            long x) {}
    public void event(int site, Object a, Object b, Object c, long ia, long ib, long ic,
            long x, long y) {}
    public void event(int site, Object a, Object b, Object c, long ia, long ib, long ic,
            long x, long y, long z) {}
    public void event(int site, Object a, Object b, Object c, long ia, long ib, long ic,
            long x, long y, long z, long w) {}
    public void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id) {}
    public void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x) {}
    public void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x, long y) {}
    public void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x, long y, long z) {}
    public void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x, long y, long z, long w) {}
}
