package java.util;

import java.util.concurrent.Semaphore;

/**
 * Lets one thread run at a time and decides by a seed, at every access to what threads share, which
 * one goes on. The test puts calls of this into the classes of the runtime.
 */
public final class WatchwordTurns {
    private static WatchwordTurns now;
    /** How many locks were taken and objects made so far. */
    static long entered;
    static long made;
    private static final ThreadLocal<Integer> ME = new ThreadLocal<>();

    private final Random random;
    /** A thread that can go on does so this often, but for once: some mistakes need long turns. */
    private final int length;
    private final Semaphore[] turns;
    private final boolean[] ended;
    private final Object[] waits;
    private final IdentityHashMap<Object, int[]> locks = new IdentityHashMap<>();
    private final Semaphore all = new Semaphore(0);

    private WatchwordTurns(int threads, long seed) {
        random = new Random(seed);
        length = new int[] {1, 4, 16}[random.nextInt(3)];
        turns = new Semaphore[threads];
        ended = new boolean[threads];
        waits = new Object[threads];
        Arrays.setAll(turns, i -> new Semaphore(0));
    }

    /** Runs all of them, interleaved. */
    static void run(Runnable[] works, long seed) throws InterruptedException {
        WatchwordTurns turns = new WatchwordTurns(works.length, seed);
        for (int i = 0; i < works.length; i++) {
            int me = i;
            Thread thread = new Thread(() -> {
                turns.turns[me].acquireUninterruptibly();
                ME.set(me);
                try {
                    works[me].run();
                } catch (Throwable failure) {
                    failure.printStackTrace();
                    System.exit(1);
                }
                turns.ended[me] = true;
                turns.next(me);
            });
            thread.setDaemon(true);
            thread.start();
        }
        now = turns;
        turns.next(-1);
        turns.all.acquire();
        now = null;
    }

    /** Has another thread go on, or this one. */
    private void next(int me) {
        int[] ready = new int[turns.length];
        int count = 0;
        for (int i = 0; i < turns.length; i++) {
            int[] lock = waits[i] == null ? null : locks.get(waits[i]);
            if (!ended[i] && (lock == null || lock[0] == 0)) {
                ready[count++] = i;
            }
        }
        if (count == 0) {
            for (boolean end : ended) {
                if (!end) {
                    System.err.println("deadlock");
                    System.exit(1);
                }
            }
            all.release();
            return;
        }
        boolean stays = me >= 0 && !ended[me] && waits[me] == null && random.nextInt(length) != 0;
        int chosen = stays ? me : ready[random.nextInt(count)];
        if (chosen != me) {
            turns[chosen].release();
            if (me >= 0 && !ended[me]) {
                turns[me].acquireUninterruptibly();
            }
        }
    }

    /** Before an access to what threads share. */
    static void turn() {
        WatchwordTurns turns = now;
        Integer me = turns == null ? null : ME.get();
        if (me != null) {
            turns.next(me);
        }
    }

    /** Instead of taking a lock. */
    static void enter(Object lock) {
        entered++;
        WatchwordTurns turns = now;
        Integer me = turns == null ? null : ME.get();
        if (me == null) {
            return;
        }
        turns.next(me);
        int[] held = turns.locks.computeIfAbsent(lock, l -> new int[2]);
        while (held[0] > 0 && held[1] != me) {
            turns.waits[me] = lock;
            turns.next(me);
            turns.waits[me] = null;
        }
        held[0]++;
        held[1] = me;
    }

    /** Before an object is made. */
    static void make() {
        made++;
    }

    /** Instead of giving it back. */
    static void exit(Object lock) {
        WatchwordTurns turns = now;
        if (turns != null && ME.get() != null) {
            turns.locks.get(lock)[0]--;
        }
    }
}
