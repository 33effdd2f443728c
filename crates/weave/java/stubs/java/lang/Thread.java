package java.lang;

/** What the runtime uses of threads, with the field that the agent adds to them. */
public class Thread {
    public long[] $watchword$counts;

    public static native Thread currentThread();
}
