import java.util.*;

/** Where sites can be silenced and where they cannot. */
public class Lists {
    private final List<String> added = new ArrayList<>();
    private List<String> shared;

    /** Everything is local: nothing needs to be watched. */
    static int local() {
        List<String> list = new ArrayList<>();
        list.add("a");
        list.add("b");
        int n = 0;
        for (String s : list) {
            n += s.length();
        }
        return n;
    }

    /** A list that is changed while it is iterated over. */
    static void wrong() {
        List<String> list = new ArrayList<>();
        list.add("a");
        for (String s : list) {
            list.add(s);
        }
    }

    /** A field that is only ever added to. */
    void log(String s) {
        added.add(s);
    }

    /** A list that comes from elsewhere. */
    static int sum(List<Integer> numbers) {
        int sum = 0;
        for (int n : numbers) {
            sum += n;
        }
        return sum;
    }

    /** A list that is kept. */
    void keep() {
        List<String> list = new ArrayList<>();
        shared = list;
        list.add("x");
    }

    public static void main(String[] args) {
        System.out.println(local());
        new Lists().log("x");
        sum(List.of(1, 2));
        new Lists().keep();
        try {
            wrong();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed while iterated");
        }
    }
}
