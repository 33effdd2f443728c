package references;

import java.io.Serializable;
import java.util.*;
import java.util.function.*;

/** What a program can see of its method references: traces, exceptions, conversions, classes. */
public class Main {
    interface Marker { }
    interface Named<T> { String name(T of); }
    interface OfText extends Named<String> { String name(String of); }
    interface Private { private int seven() { return 7; } default IntSupplier it() { return this::seven; } }
    interface ToLong { long of(int n); }
    interface ToObject { Object of(char c); }
    interface Sum { double of(Integer a, char b, Float c); }

    static class Base {
        void send() { throw new IllegalStateException("sent"); }
        String text() { return "text"; }
    }
    static class Foo extends Base { }
    static class Bar extends Foo { }

    static int twice(int n) { return 2 * n; }
    static double sum(long a, int b, double c) { return a + b + c; }
    static Integer code(int c) { return c; }
    static boolean is(Boolean b) { return b; }
    static String shown(Object o) { new Throwable("shown").printStackTrace(System.out); return "" + o; }

    static void tell(Runnable r) {
        try { r.run(); } catch (RuntimeException e) { e.printStackTrace(System.out); }
    }

    static <T> T same(T t) { return t; }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] args) {
        Foo foo = new Foo();
        tell(foo::send);
        Consumer<Foo> unbound = Foo::send;
        tell(() -> unbound.accept(foo));
        tell(() -> unbound.accept(null));
        Consumer<Bar> below = Foo::send;
        tell(() -> below.accept(new Bar()));
        tell(() -> ((Consumer) unbound).accept("no Foo"));
        tell(() -> ((Consumer) below).accept(foo));
        Foo none = null;
        try { Runnable r = none::send; r.run(); } catch (NullPointerException e) { System.out.println("null"); }

        IntUnaryOperator ints = Main::twice;
        Function<Integer, Integer> boxes = Main::twice;
        IntConsumer nothing = Main::twice;
        ToLong longer = Main::twice;
        System.out.println(ints.applyAsInt(3) + " " + boxes.apply(4) + " " + longer.of(5));
        nothing.accept(6);
        tell(() -> boxes.apply(null));
        tell(() -> ((Function) boxes).apply("no number"));
        Sum sum = Main::sum;
        System.out.println(sum.of(1, 'a', 0.5f));
        ToObject code = Main::code;
        System.out.println(code.of('b'));
        Predicate<Boolean> is = Main::is;
        System.out.println(is.test(true));

        OfText named = Main::shown;
        System.out.println(named.name("x") + ((Named) named).name("y"));
        tell(() -> ((Named) named).name(7));
        Runnable marked = (Runnable & Marker) foo::text;
        System.out.println(marked instanceof Marker);
        marked.run();
        Supplier<String> kept = (Supplier<String> & Serializable) foo::text;
        System.out.println(kept.get());
        System.out.println(new Private() { }.it().getAsInt());
        Supplier<Foo> make = Foo::new;
        System.out.println(make.get().text());
        Function<String, String> same = Main::same;
        tell(() -> ((Function) same).apply(8));

        Set<Object> made = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 3; i++) { Supplier<Foo> s = Foo::new; made.add(s); Runnable r = foo::text; made.add(r); }
        System.out.println(made.size());
        Class<?> class_ = marked.getClass();
        System.out.println(class_.isHidden() + " " + class_.isSynthetic() + " " + class_.getNestHost().getName()
            + " " + class_.getName().startsWith("references.Main$$Lambda"));
    }
}
