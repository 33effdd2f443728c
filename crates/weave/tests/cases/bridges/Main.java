package bridges;

import java.util.AbstractCollection;
import java.util.Iterator;

public class Main {
    static class Words extends AbstractCollection<String> {
        public int size() { return 2; }
        // The compiler adds `Object next()`, which calls this one.
        public Iterator<String> iterator() {
            return new Iterator<String>() {
                int at = 0;
                public boolean hasNext() { return at < 2; }
                public String next() { return "w" + at++; }
            };
        }
    }

    static class Hidden { public int number() { return 7; } }
    // A bridge to a method of another class, and the only one here.
    public static class Shown extends Hidden { }

    public static void main(String[] args) {
        for (String word : new Words()) System.out.println(word);
        System.out.println(new Shown().number());
    }
}
