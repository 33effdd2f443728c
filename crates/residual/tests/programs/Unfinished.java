import java.util.*;

/** What is reported when the run ends. */
class Unfinished {
    /** Changed and never looked at. */
    static void changed() {
        List<String> list = new ArrayList<>();
        list.add("a");
    }

    /** Changed and looked at. */
    static void looked() {
        List<String> list = new ArrayList<>();
        list.add("a");
        for (String s : list) System.out.println(s);
    }

    public static void main(String[] args) {
        changed();
        looked();
    }
}
