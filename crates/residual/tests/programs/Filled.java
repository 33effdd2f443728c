import java.util.*;

/** Lists that are filled by whoever makes them, and only read by others. */
class Filled {
    private List<String> names;
    private List<String> changed;

    static List<String> made(String... all) {
        List<String> list = new ArrayList<>();
        for (String one : all) list.add(one);
        return list;
    }

    static List<String> open(String... all) {
        List<String> list = new LinkedList<>();
        for (String one : all) list.add(one);
        return list;
    }

    void set() {
        names = made("a", "b");
        changed = open("a", "b");
    }

    int length() {
        int length = 0;
        for (String one : names) length += one.length();
        return length;
    }

    /** Here the list is changed, and that is reported. */
    int shrink() {
        int length = 0;
        for (String one : changed) {
            length += one.length();
            changed.remove(one);
        }
        return length;
    }

    public static void main(String[] args) {
        Filled filled = new Filled();
        filled.set();
        System.out.println(filled.length());
        try {
            filled.changed.add("c");
            filled.shrink();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }
}
