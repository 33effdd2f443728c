import java.util.*;

/** A calendar that is a collection, too. */
public class KindsBoth {
    static class Days extends GregorianCalendar implements Collection<Integer> {
        private final List<Integer> days = new LinkedList<>();

        @Override public int size() { return days.size(); }
        @Override public boolean isEmpty() { return days.isEmpty(); }
        @Override public boolean contains(Object o) { return days.contains(o); }
        @Override public Iterator<Integer> iterator() { return days.iterator(); }
        @Override public Object[] toArray() { return days.toArray(); }
        @Override public <T> T[] toArray(T[] to) { return to; }
        @Override public boolean add(Integer day) { return days.add(day); }
        @Override public boolean remove(Object o) { return false; }
        @Override public boolean containsAll(Collection<?> all) { return false; }
        @Override public boolean addAll(Collection<? extends Integer> all) { return false; }
        @Override public boolean removeAll(Collection<?> all) { return false; }
        @Override public boolean retainAll(Collection<?> all) { return false; }
    }

    static final Collection<Integer> SHARED = new Days();

    static void calendar(Calendar calendar) {
        calendar.clear();
    }

    public static void main(String[] args) {
        SHARED.add(1);
        Iterator<Integer> i = SHARED.iterator();
        calendar((Calendar) (Object) SHARED);
        i.next();
    }
}
