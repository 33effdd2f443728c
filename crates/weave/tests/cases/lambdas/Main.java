package lambdas;

import java.util.*;
import java.util.function.*;

public class Main {
    interface Visitor { void visit(String s); }

    static class Thing {
        final String name;
        Thing(String name) { this.name = name; }
        String name() { return name; }
        private int secret() { return 7; }
        int viaSecret() { IntSupplier s = this::secret; return s.getAsInt(); }
        static int twice(int n) { return 2 * n; }
    }

    public static void main(String[] args) {
        List<String> list = new ArrayList<>(List.of("b", "a"));
        Iterator<String> it = list.iterator();
        Supplier<String> next = it::next;
        System.out.println(next.get());
        Function<String, Thing> make = Thing::new;
        Function<Thing, String> name = Thing::name;
        System.out.println(name.apply(make.apply("thing")));
        IntUnaryOperator twice = Thing::twice;
        System.out.println(twice.applyAsInt(21));
        System.out.println(new Thing("x").viaSecret());
        Visitor visitor = list::add;
        visitor.visit("c");
        Runnable r = () -> list.add("d");
        r.run();
        System.out.println(list);
    }
}
