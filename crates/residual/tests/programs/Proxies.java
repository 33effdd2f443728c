import java.lang.reflect.*;
import java.util.*;

/** Arguments of calls on proxies reach their handlers. */
class Proxies {
    static Iterator<Object> kept;

    static class Handler implements InvocationHandler {
        @Override
        @SuppressWarnings("unchecked")
        public Object invoke(Object self, Method method, Object[] given) {
            if (method.getName().equals("addAll") || method.getName().equals("equals")) {
                kept = ((List<Object>) given[0]).iterator();
            }
            return true;
        }
    }

    static void bulk(Collection<Object> proxy) {
        List<Object> list = new ArrayList<>();
        list.add("a");
        proxy.addAll(list);
        list.add("b");
    }

    static void compared(Object proxy) {
        List<Object> list = new ArrayList<>();
        list.add("a");
        proxy.equals(list);
        list.add("b");
    }

    static void take() {
        try {
            kept.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] args) {
        Object proxy = Proxy.newProxyInstance(
                Proxies.class.getClassLoader(), new Class<?>[] {Collection.class}, new Handler());
        bulk((Collection<Object>) proxy);
        take();
        compared(proxy);
        take();
    }
}
