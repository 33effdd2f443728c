package payment;

/** What a user does: random, but the same for the same number. */
final class Script {
    static final int ACTIVATE = 0;
    static final int BLACKLIST = 1;
    static final int GREYLIST = 2;
    static final int WHITELIST = 3;

    private long state;
    private int left;
    private boolean hurry;
    private boolean begun;

    Script(int seed, int actions, boolean hurry) {
        state = seed * 2862933555777941757L + 3037000493L;
        left = actions;
        this.hurry = hurry;
    }

    boolean more() {
        return left-- > 0;
    }

    /** The next action; the first one activates the user, unless he is in a hurry. */
    int next() {
        if (!begun) {
            begun = true;
            return hurry ? WHITELIST : ACTIVATE;
        }
        return 1 + below(3);
    }

    int below(int n) {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % n);
    }
}
