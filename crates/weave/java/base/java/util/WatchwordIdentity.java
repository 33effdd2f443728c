package java.util;

/** Identities of objects; as a value of a class, the bits that tell it. */
final class WatchwordIdentity extends ClassValue<Long> {
    private static WatchwordIdentity classes;
    private static long last;

    private WatchwordIdentity() {}

    /** Not in an initialiser: the class may be used before the VM can make such objects. */
    static void prepare() {
        classes = new WatchwordIdentity();
    }

    @Override
    protected Long computeValue(Class<?> type) {
        return WatchwordAgent.agent.number(type);
    }

    /** The identity of an object; 0 of null. */
    static long of(Object object) {
        if (object instanceof WatchwordTracked) {
            WatchwordTracked tracked = (WatchwordTracked) object;
            long id = tracked.$watchword$id();
            return id != 0 ? id : fresh(tracked);
        }
        return object == null ? 0 : WatchwordAgent.agent.side(object);
    }

    private static synchronized long fresh(WatchwordTracked object) {
        long id = object.$watchword$id();
        if (id == 0) {
            // Compilers differ in how they call methods of objects on interfaces.
            Object any = object;
            id = classes.get(any.getClass()) | ++last;
            object.$watchword$setId(id);
        }
        return id;
    }

    /** A number that no object has. */
    static synchronized long take() {
        return ++last;
    }
}
