import java.util.*;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;

/** Lists that are anybody's if one caller has them, and not if another has. */
public class Elements {
    static int count;
    static final AtomicReference<Object> anybody = new AtomicReference<>(new ConcurrentLinkedDeque<>());
    static Iterator<Collection<String>> kept;

    interface Maker {
        ConcurrentLinkedDeque<Collection<String>> make();
    }

    static class New implements Maker {
        @SuppressWarnings("unchecked")
        public ConcurrentLinkedDeque<Collection<String>> make() {
            ConcurrentLinkedDeque<Collection<String>> made = new ConcurrentLinkedDeque<>();
            made.offerLast(new LinkedList<>());
            // Others have what may be anything before they have what is made here.
            Object any = made;
            if (count == 1) any = anybody.get();
            if (count == 2) any = anybody.get();
            if (count == 3) any = anybody.get();
            if (count == 4) any = anybody.get();
            if (count == 5) any = anybody.get();
            if (count == 6) any = anybody.get();
            if (count == 7) any = anybody.get();
            if (count == 8) any = anybody.get();
            if (count == 9) any = anybody.get();
            if (count == 10) any = anybody.get();
            if (count == 11) any = anybody.get();
            if (count == 12) any = anybody.get();
            kept = ((ConcurrentLinkedDeque<Collection<String>>) any).descendingIterator();
            return made;
        }
    }

    static class Old implements Maker {
        ConcurrentLinkedDeque<Collection<String>> known = new ConcurrentLinkedDeque<>();

        public ConcurrentLinkedDeque<Collection<String>> make() {
            return known;
        }
    }

    static void give(Maker maker) {
        anybody.set(maker.make());
    }

    // By an iterator over a list that its caller knows by another name.
    static void derived() {
        Collection<String> l = new ArrayList<>(List.of("a"));
        new New().make().offerFirst(l);
        Iterator<String> i = l.iterator();
        while (kept.hasNext()) kept.next().add("x");
        try { i.next(); } catch (RuntimeException e) { count++; }
    }

    public static void main(String[] args) {
        give(new Old());
        give(new New());
        derived();
    }
}
