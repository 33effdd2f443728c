import java.util.*;

/** Methods that reflection calls give away what they return and keep what they are given. */
class ReflectedCalls {
    public static class Holder {
        private final List<String> items = new ArrayList<>(List.of("a"));

        public List<String> items() {
            return items;
        }
    }

    public static class Taker {
        private final List<String> taken;

        public Taker(List<String> given) {
            taken = given;
        }

        void change() {
            taken.add("c");
        }
    }

    static void take(Iterator<String> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    @SuppressWarnings("unchecked")
    static void result() throws ReflectiveOperationException {
        Holder holder = new Holder();
        Iterator<String> it = holder.items.iterator();
        Object found = Holder.class.getMethod("items").invoke(holder);
        ((List<String>) found).add("b");
        take(it);
    }

    static void argument() throws ReflectiveOperationException {
        List<String> given = new ArrayList<>(List.of("a"));
        Iterator<String> it = given.iterator();
        Taker taker = Taker.class.getConstructor(List.class).newInstance(given);
        taker.change();
        take(it);
    }

    public interface Source {
        List<String> all();
    }

    public static class Real implements Source {
        private final List<String> words = new ArrayList<>(List.of("a"));

        public List<String> all() {
            return words;
        }
    }

    /** Whatever is asked, the handler asks another. */
    @SuppressWarnings("unchecked")
    static void handled() {
        Real real = new Real();
        Iterator<String> it = real.words.iterator();
        Object[] found = new Object[1];
        Source source = (Source) java.lang.reflect.Proxy.newProxyInstance(
                ReflectedCalls.class.getClassLoader(), new Class<?>[] {Source.class},
                (proxy, method, args) -> {
                    found[0] = method.invoke(real, args);
                    return null;
                });
        source.all();
        ((List<String>) found[0]).add("b");
        take(it);
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        result();
        argument();
        handled();
    }
}
