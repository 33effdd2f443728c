package watchword;

/**
 * The hooks under the name that code woven ahead of time calls. Archives have an empty class of
 * this name inside, for programs that run without an agent; this one is found first.
 */
public final class Hook extends java.util.WatchwordHook {
    private Hook() {}
}
