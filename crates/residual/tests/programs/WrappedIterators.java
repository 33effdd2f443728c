import java.util.*;

/** A collection of the program is wrapped: it might know its iterators, or have used them. */
class WrappedIterators {
    static class Own extends ArrayList<String> {
        @Override
        public Iterator<String> iterator() {
            return made();
        }

        private Iterator<String> made() {
            return super.iterator();
        }
    }

    static int length(Collection<String> all) {
        int length = 0;
        for (String one : all) length += one.length();
        return length;
    }

    public static void main(String[] args) {
        Collection<String> own = new Own();
        own.add("a");
        System.out.println(length(own) + length(Collections.synchronizedCollection(own)));
    }
}
