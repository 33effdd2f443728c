import java.util.*;

/** Methods in which `next` is careless, and what a careless analysis would make of them. */
class Asked {
    static List<String> two() {
        return new ArrayList<>(List.of("a", "b"));
    }

    /** The iterator may be null when it is asked, and is not when it is used. */
    static void perhaps(boolean asked) {
        List<String> list = new ArrayList<>();
        list.add("a");
        Iterator<String> used = list.iterator();
        Iterator<String> maybe = asked ? used : null;
        try {
            maybe.hasNext();
        } catch (NullPointerException e) {
            System.out.println("null");
        }
        used.next();
    }

    /** It is asked as it should be. */
    static int asked() {
        List<String> list = new ArrayList<>();
        list.add("a");
        int length = 0;
        for (String s : list) length += s.length();
        return length;
    }

    public static void main(String[] args) {
        perhaps(true);
        perhaps(false);
        System.out.println(asked());
    }
}
