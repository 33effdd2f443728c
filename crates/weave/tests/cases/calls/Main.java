package calls;

import java.util.*;

public class Main {
    interface Service { int serve(int a, long b, double c, String d) throws Exception; }

    static class Impl implements Service {
        public int serve(int a, long b, double c, String d) throws Exception {
            if (a < 0) throw new Exception("negative");
            return a + 1;
        }
        static boolean flag(boolean b, char c, float f, byte y, short s) { return !b; }
        int many(Object a, Object b, Object c, Object d, Object e, long f) { return 5; }
    }

    static class Resource {
        final String name;
        Resource(String name) { this(name, 1); }
        Resource(String name, int n) {
            if (name == null) throw new IllegalArgumentException();
            this.name = name;
        }
        void close() { System.out.println("close " + name); }
    }

    static class Sub extends Resource {
        Sub() { super("sub"); }
        @Override void close() { super.close(); }
    }

    public static void main(String[] args) throws Exception {
        List<String> list = new ArrayList<>();
        list.add("a");
        list.add("b");
        Iterator<String> it = list.iterator();
        while (it.hasNext()) System.out.println(it.next());
        Service service = new Impl();
        System.out.println(service.serve(1, 1L << 40, 2.5, "x"));
        try {
            service.serve(-1, 2, 3, null);
        } catch (Exception e) {
            System.out.println("caught " + e.getMessage());
        }
        System.out.println(Impl.flag(true, 'q', 1.5f, (byte) -3, (short) -300));
        System.out.println(new Impl().many("1", "2", "3", "4", "5", 6));
        Resource r = new Resource("r" + (args.length == 0 ? "0" : "1"));
        r.close();
        new Sub().close();
        try {
            new Resource(null);
        } catch (IllegalArgumentException e) {
            System.out.println("refused");
        }
        int[] copy = new int[] {1, 2}.clone();
        System.out.println(copy.length);
        System.out.println(nested(list));
        Opens gate = new Gate();
        gate.open();
        Opens box = new Box();
        box.open();
    }

    static int nested(List<String> list) {
        // A call whose arguments contain calls of the same kind.
        Map<Object, Object> map = new HashMap<>();
        map.put(map.put("k", list.size()), map.put("l", map.size()));
        return map.size();
    }

    interface Opens { void open(); }
    static class Door { public void open() { } }
    static class Gate extends Door implements Opens { }
    static class Box implements Opens { public void open() { } }
}
