import java.util.*;

/** Methods that are named like those of collections: no bit set and no calendar is one. */
public class Kinds {
    static final Collection<String> SHARED = new ArrayList<>(List.of("a", "b"));

    static void bits(BitSet bits) {
        bits.clear();
    }

    static void calendar(Calendar calendar) {
        calendar.clear();
        calendar.add(Calendar.DATE, 1);
    }

    public static void main(String[] args) {
        Iterator<String> i = SHARED.iterator();
        bits(new BitSet());
        calendar(Calendar.getInstance());
        i.next();
    }
}
