import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;

/** Two sources of one event select the same call: it happens once or twice, which is the same. */
class Doubled {
    static final List<String> SHARED = new ArrayList<>();

    static int own() {
        List<String> list = new ArrayList<>();
        list.add("a");
        int sum = 0;
        Iterator<String> all = list.iterator();
        while (all.hasNext()) {
            sum += all.next().length();
        }
        return sum;
    }

    static void shared() {
        SHARED.add("a");
        Iterator<String> all = SHARED.iterator();
        SHARED.add("b");
        all.next();
    }

    public static void main(String[] args) {
        System.out.println(own());
        try {
            shared();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }
}
