import java.lang.reflect.Proxy;
import java.util.*;

/** Iterators that a handler returns. */
class ProxyIterators {
    static final Iterator<Object> SHARED = List.<Object>of(1, 2).iterator();

    static void ask(Collection<Object> all) {
        Iterator<Object> it = all.iterator();
        it.hasNext();
    }

    static void take(Collection<Object> all) {
        Iterator<Object> it = all.iterator();
        it.next();
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) {
        Collection<Object> proxy = (Collection<Object>) Proxy.newProxyInstance(
                ProxyIterators.class.getClassLoader(), new Class<?>[] {Collection.class},
                (self, method, given) -> method.getName().equals("iterator") ? SHARED : null);
        ask(proxy);
        take(proxy);
    }
}
