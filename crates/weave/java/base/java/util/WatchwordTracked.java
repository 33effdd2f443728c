package java.util;

/**
 * An object that holds what monitoring knows about it. The agent adds this interface and its
 * methods to classes as they load.
 */
public interface WatchwordTracked {
    /** The identity; 0 if it has none yet. */
    long $watchword$id();

    void $watchword$setId(long id);

    /** The cell; null if nothing has happened to the object. */
    WatchwordCell $watchword$cell();

    void $watchword$setCell(WatchwordCell cell);

    /** Replaces the cell in one atomic step; false if it is not the one before any more. */
    boolean $watchword$swap(WatchwordCell before, WatchwordCell after);

    /** Remembers the offset of the cell in objects of the class. */
    void $watchword$setPlace(long offset);
}
