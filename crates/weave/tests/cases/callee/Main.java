package callee;

import java.util.*;

public class Main {
    static class Registry {
        static int created;
        static { created = 0; }
        Registry(String name) { if (name == null) throw new NullPointerException(); created++; }
        Object put(String k, int v) { return k + v; }
    }
    static class Special extends Registry {
        Special() { super("special"); }
        @Override Object put(String k, int v) { if (v < 0) throw new RuntimeException(); return super.put(k, v); }
    }

    public static void main(String[] args) {
        ArrayList<String> list = new ArrayList<>();
        list.add("x");
        ListIterator<String> it = list.listIterator();
        it.next();
        Iterator<String> plain = list.iterator();
        if (plain.hasNext()) plain.next();
        Special s = new Special();
        System.out.println(s.put("a", 1));
        try { s.put("b", -1); } catch (RuntimeException e) { System.out.println("no"); }
        Registry r = new Registry("r");
        System.out.println(r.put("c", 2));
    }
}
