import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** An iterator of a stream is shown to a spliterator of the program, as a consumer. */
class StreamIterators {
    static Iterator<?> kept;

    static class Parts implements Spliterator<String> {
        private int left = 3;

        public boolean tryAdvance(Consumer<? super String> action) {
            if (action instanceof Iterator) kept = (Iterator<?>) action;
            if (left == 0) return false;
            left--;
            action.accept("x");
            return true;
        }

        public Spliterator<String> trySplit() {
            return null;
        }

        public long estimateSize() {
            return left;
        }

        public int characteristics() {
            return 0;
        }
    }

    static void first() {
        Iterator<String> it = StreamSupport.stream(new Parts(), false).iterator();
        if (it.hasNext()) it.next();
        it.hasNext();
    }

    public static void main(String[] args) {
        first();
        kept.next();
    }
}
