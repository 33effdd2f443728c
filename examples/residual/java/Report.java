import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Three lists: one never iterated over, one that stays in its method, one in a field. */
class Report {
    private final List<String> log = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    void add(String name) {
        log.add("added " + name);                   // 1 update: silenced
        names.add(name);                            // 2 update: left
    }

    int longest() {
        int longest = 0;
        Iterator<String> all = names.iterator();    // 3 create: left
        while (all.hasNext()) {
            String name = all.next();               // 4 next: left
            longest = Math.max(longest, name.length());
        }
        return longest;
    }

    static int total(String[] words) {
        List<Integer> lengths = new ArrayList<>();
        for (String word : words) {
            lengths.add(word.length());             // 5 update: silenced
        }
        int total = 0;
        Iterator<Integer> all = lengths.iterator(); // 6 create: silenced
        while (all.hasNext()) {
            total += all.next();                    // 7 next: silenced
        }
        return total;
    }

    public static void main(String[] words) {
        Report report = new Report();
        for (String word : words) {
            report.add(word);
        }
        System.out.println(report.longest() + " " + report.log.size() + " " + total(words));
    }
}
