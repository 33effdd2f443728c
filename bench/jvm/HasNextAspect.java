import java.util.*;
import org.aspectj.lang.annotation.*;

/** What a person would write by hand: the state of every iterator in a weak map. */
@Aspect
public class HasNextAspect {
    static final class Key extends java.lang.ref.WeakReference<Object> {
        final int hash;
        Key(Object o, java.lang.ref.ReferenceQueue<Object> queue) { super(o, queue); hash = System.identityHashCode(o); }
        public int hashCode() { return hash; }
        public boolean equals(Object o) { return this == o || (o instanceof Key && get() != null && ((Key) o).get() == get()); }
    }
    static final java.lang.ref.ReferenceQueue<Object> queue = new java.lang.ref.ReferenceQueue<>();
    static final Map<Key, Integer> states = new HashMap<>();
    static long violations;

    @AfterReturning(pointcut = "call(java.util.Iterator java.util.Collection+.iterator())", returning = "i")
    public void iterator(Object i) { set(i, 1); }

    @Before("call(boolean java.util.Iterator+.hasNext()) && target(i)")
    public void hasNext(Object i) { if (get(i) != 0) set(i, 2); }

    @Before("call(* java.util.Iterator+.next()) && target(i)")
    public void next(Object i) {
        int state = get(i);
        if (state == 1) synchronized (states) { violations++; }
        if (state != 0) set(i, 1);
    }

    static void set(Object i, int state) {
        if (i == null) return;
        synchronized (states) {
            for (Object dead = queue.poll(); dead != null; dead = queue.poll()) states.remove(dead);
            states.put(new Key(i, queue), state);
        }
    }

    static int get(Object i) {
        synchronized (states) {
            Integer state = states.get(new Key(i, null));
            return state == null ? 0 : state;
        }
    }
}
