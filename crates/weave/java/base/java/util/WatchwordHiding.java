package java.util;

/** What a program is not to notice: classes of the JDK and of the program call this. */
public final class WatchwordHiding {
    private WatchwordHiding() {}

    /** Members or interfaces without those that were added. */
    public static Object[] visible(Object[] members) {
        WatchwordAgent agent = WatchwordAgent.agent;
        return agent == null ? members : agent.hide(members);
    }

    /** A copy made by {@code Object.clone}, which begins with nothing of its original. */
    public static Object copied(Object copy) {
        return copiedCell(copiedIdentity(copy));
    }

    /** The same where objects have cells only. */
    public static Object copiedCell(Object copy) {
        if (copy instanceof WatchwordTracked) {
            ((WatchwordTracked) copy).$watchword$setCell(null);
        }
        return copy;
    }

    /** The same where objects have identities only. */
    public static Object copiedIdentity(Object copy) {
        if (copy instanceof WatchwordTracked) {
            ((WatchwordTracked) copy).$watchword$setId(0);
        }
        return copy;
    }
}
