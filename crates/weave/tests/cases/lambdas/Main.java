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

    static class Above { void inherited() { } }
    static class Below extends Above { }
    static class Beside extends Above { }

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
        Below below = new Below();
        Beside beside = new Beside();
        Runnable one = below::inherited;
        Runnable two = beside::inherited;
        Runnable three = new Above()::inherited;
        Runnable four = beside::inherited;
        one.run();
        two.run();
        three.run();
        four.run();
        Consumer<Below> any = Below::inherited;
        any.accept(below);
        System.out.println("inherited");
    }
}
