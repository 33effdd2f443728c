package watchword;

import java.util.WatchwordAgent;

/** The agent: its native methods are those of the library that is loaded into the JVM. */
final class Agent extends WatchwordAgent {
    private Agent() {}

    static void start() {
        begin(new Agent());
    }

    @Override public native void told(
            int site, int letter, int which, long leaf, long middle, long root, int code, long h0,
            long h1);

    @Override public native int cases(int choice, Class<?> type);

    @Override public native boolean inside();

    @Override public native long gone();

    @Override public native void exhausted();

    @Override public native long side(Object object);

    @Override public native long number(Class<?> type);

    @Override public native Object[] hide(Object[] members);
    @Override public native void event(int site, Object[] objects, long[] numbers);
    @Override public native void event(int site);
    @Override public native void event(int site, long x);
    @Override public native void event(int site, long x, long y);
    @Override public native void event(int site, long x, long y, long z);
    @Override public native void event(int site, long x, long y, long z, long w);
    @Override public native void event(int site, Object a, long ia);
    @Override public native void event(int site, Object a, long ia, long x);
    @Override public native void event(int site, Object a, long ia, long x, long y);
    @Override public native void event(int site, Object a, long ia, long x, long y, long z);
    @Override public native void event(int site, Object a, long ia, long x, long y, long z, long w);
    @Override public native void event(int site, Object a, Object b, long ia, long ib);
    @Override public native void event(int site, Object a, Object b, long ia, long ib, long x);
    @Override public native void event(int site, Object a, Object b, long ia, long ib, long x,
            long y);
    @Override public native void event(int site, Object a, Object b, long ia, long ib, long x,
            long y, long z);
    @Override public native void event(int site, Object a, Object b, long ia, long ib, long x,
            long y, long z, long w);
    @Override public native void event(int site, Object a, Object b, Object c, long ia, long ib,
            long ic);
    @Override public native void event(int site, Object a, Object b, Object c, long ia, long ib,
            long ic, long x);
    @Override public native void event(int site, Object a, Object b, Object c, long ia, long ib,
            long ic, long x, long y);
    @Override public native void event(int site, Object a, Object b, Object c, long ia, long ib,
            long ic, long x, long y, long z);
    @Override public native void event(int site, Object a, Object b, Object c, long ia, long ib,
            long ic, long x, long y, long z, long w);
    @Override public native void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id);
    @Override public native void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x);
    @Override public native void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x, long y);
    @Override public native void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x, long y, long z);
    @Override public native void event(int site, Object a, Object b, Object c, Object d, long ia,
            long ib, long ic, long id, long x, long y, long z, long w);
}
