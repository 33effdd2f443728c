import java.lang.annotation.ElementType;
import java.lang.annotation.Target;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

@Target(ElementType.TYPE_USE)
@interface Mark {
    int value() default 0;
}

/** Type annotations on everything inside a method, and locals with generic types. */
class Annotated {
    static <T> T id(T value) {
        return value;
    }

    Object run(Object o, int n) throws Exception {
        @Mark List<@Mark(1) String> list = new @Mark(2) ArrayList<@Mark(3) String>();
        for (int i = 0; i < n; i++) {
            @Mark(4) String text = (@Mark(5) String) o;
            if (o instanceof @Mark(6) Integer) list.add(text);
            Supplier<List<String>> make = @Mark(7) ArrayList<String>::new;
            Function<Object, String> show = @Mark(8) Object::toString;
            list.addAll(make.get());
            text = show.apply(Annotated.<@Mark(9) Object>id(o));
        }
        try (@Mark(10) StringReader reader = new @Mark(11) StringReader("x")) {
            reader.read();
        } catch (@Mark(12) RuntimeException e) {
            return new @Mark(13) Object[n > 2 ? 1 : 2];
        }
        return list.isEmpty() ? (@Mark(14) Object) list : new @Mark(15) int @Mark(16) [3];
    }
}
