package jdk.internal.misc;

/** What the runtime uses of the JDK's own class. */
public final class Unsafe {
    public static native Unsafe getUnsafe();

    public native long objectFieldOffset(Class<?> c, String field);

    public native void storeFence();

    public native boolean compareAndSetLong(Object o, long offset, long expected, long x);

    public native boolean compareAndSetReference(Object o, long offset, Object expected, Object x);
}
