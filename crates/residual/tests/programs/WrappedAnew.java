import java.util.*;
import java.util.stream.*;

/** What is wrapped was just made and is the JDK's: its iterators are new, own collections or not. */
class WrappedAnew {
    private final Collection<String> names = Collections.synchronizedCollection(new HashSet<>());

    static class Own extends ArrayList<String> {
        private final Iterator<String> shared = super.iterator();

        @Override
        public Iterator<String> iterator() {
            return shared;
        }
    }

    static class Plain extends ArrayList<String> {}

    static int length(Collection<String> all) {
        int length = 0;
        for (String one : all) length += one.length();
        return length;
    }

    int all() {
        int length = 0;
        for (String one : names) length += one.length();
        return length;
    }

    /** It inherits how it iterates. */
    static int plain(Plain all) {
        int length = 0;
        for (String one : all) length += one.length();
        return length;
    }

    static int letters(Stream<String> all) {
        int length = 0;
        Iterator<String> it = all.filter(one -> one.length() > 1).iterator();
        while (it.hasNext()) length += it.next().length();
        return length;
    }

    public static void main(String[] args) {
        WrappedAnew anew = new WrappedAnew();
        anew.names.add("abc");
        Plain plain = new Plain();
        plain.add("ab");
        System.out.println(anew.all() + plain(plain) + letters(plain.stream()) + length(new Own()));
    }
}
