package java.util;

import jdk.internal.vm.annotation.DontInline;

/**
 * Which case of its letter an event is: what the values that its hook has decide. A choice is two
 * cases of four bits each, for a bit that is 0 and one that is 1, and where that bit comes from. If
 * the class of an object matters, each class has two cases of its own, which the agent finds out
 * once; those of the choice are for null.
 *
 * <p>As a value of a class, the two cases it has.
 */
final class WatchwordChoices extends ClassValue<Integer> {
    /** The bit is the hook's number; else, whether an object is there. */
    private static final int BY_NUMBER = 1 << 8;
    private static final int BY_OBJECT = 1 << 9;
    /** The class of an object matters. */
    private static final int BY_CLASS = 1 << 10;
    /** The object of the bit, and that of the class, is the hook's second. */
    private static final int SECOND_THERE = 1 << 11;
    private static final int SECOND_OF_CLASS = 1 << 12;

    /** By number; the first is case 0, whatever happens. */
    private static WatchwordChoices[] all;

    private final int number;
    private final int cases;

    private WatchwordChoices(int number, int cases) {
        this.number = number;
        this.cases = cases;
    }

    static void prepare() {
        all = new WatchwordChoices[64];
    }

    static synchronized void choice(int number, int cases) {
        WatchwordChoices[] known = all;
        if (number >= known.length) {
            known = Arrays.copyOf(known, number << 1);
        }
        known[number] = new WatchwordChoices(number, cases);
        all = known;
    }

    /** The case of an event with these values. */
    static int of(int choice, Object first, Object second, long number) {
        WatchwordChoices decider = all[choice];
        int how = decider.cases;
        int cases = how;
        if ((how & BY_CLASS) != 0) {
            Object object = (how & SECOND_OF_CLASS) != 0 ? second : first;
            if (object != null) {
                cases = decider.of(object.getClass());
            }
        }
        boolean bit;
        if ((how & BY_NUMBER) != 0) {
            bit = number != 0;
        } else {
            bit = (how & BY_OBJECT) != 0
                    && ((how & SECOND_THERE) != 0 ? second : first) != null;
        }
        return cases >>> (bit ? 4 : 0) & 15;
    }

    /** Whether the objects of an event are of the types it is for: case 1 of up to two choices. */
    static boolean pass(int choices, Object first, Object second) {
        return of(choices & 0xffff, first, second, 0) != 0
                && (choices >>> 16 == 0 || of(choices >>> 16, first, second, 0) != 0);
    }

    private int of(Class<?> type) {
        return get(type);
    }

    @Override
    @DontInline
    protected Integer computeValue(Class<?> type) {
        return WatchwordAgent.agent.cases(number, type);
    }
}
