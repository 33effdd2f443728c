import java.io.*;
import java.util.*;

/** One thread: what calls do to lists of others while one of them is iterated over. */
class AloneCalls {
    private final List<Object> own = new ArrayList<>();
    private final Set<File> files = new HashSet<>();
    private final HashMap<Object, Object> map = new HashMap<>();
    private final List<Object> others = new ArrayList<>();

    AloneCalls() {
        own.add(1);
        own.add(2);
        others.add(1);
        files.add(new File("a"));
    }

    void addFile(File file) {
        files.add(file);
    }

    /** Strings and files call nobody. */
    boolean hasFile(String name) {
        for (File file : files) {
            if (name.equals(file.getName())) return true;
        }
        return false;
    }

    static void put(List<Object> list) {
        list.add(3);
    }

    void putOwn() {
        put(own);
    }

    void deeper() {
        putOwn();
    }

    /** The callee is not given the list, what it calls is. */
    void indirect() {
        Iterator<Object> it = own.iterator();
        deeper();
        take(it);
    }

    int count() {
        int count = 0;
        for (Object one : others) count += one.hashCode();
        return count;
    }

    /** The callee iterates, too, and changes nothing. */
    int nested() {
        int all = 0;
        for (Object one : own) all += count();
        return all;
    }

    /** A map compares what it is asked for with its keys: both may be sets with a comparator. */
    int looked() {
        int found = 0;
        for (Object one : own) {
            if (map.containsKey(one)) found++;
        }
        return found;
    }

    static List<Object> made;
    static Iterator<Object> earlier;

    static class Late {
        static final List<Object> LIST = fill();

        static List<Object> fill() {
            made.add("initialised");
            return made;
        }
    }

    /** An initialiser runs in between. */
    void initialised() {
        made = new ArrayList<>(own);
        Iterator<Object> it = made.iterator();
        Object list = Late.LIST;
        take(it);
    }

    class Text implements CharSequence {
        public int length() {
            own.add("asked");
            return 1;
        }

        public char charAt(int index) {
            own.add("asked");
            return 'x';
        }

        public CharSequence subSequence(int start, int end) {
            return "";
        }
    }

    /** A text of the program's own is looked at. */
    void searched(CharSequence text) {
        Iterator<Object> it = own.iterator();
        "xyz".contains(text);
        take(it);
    }

    class Sink extends OutputStream {
        @Override
        public void write(int b) {
            own.add(b);
        }
    }

    /** A stream of the program's own is written to. */
    void written(PrintStream stream) {
        Iterator<Object> it = own.iterator();
        stream.print("x");
        take(it);
    }

    /** A comparator of the program's own is asked. */
    void sorted(SortedSet<Object> set) {
        Iterator<Object> it = own.iterator();
        set.add("x");
        take(it);
    }

    static int changed;

    static void take(Iterator<Object> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            changed++;
        }
    }

    public static void main(String[] args) {
        AloneCalls calls = new AloneCalls();
        System.out.println(calls.hasFile("a"));
        calls.addFile(new File("b"));
        System.out.println(calls.hasFile("b"));
        calls.indirect();
        System.out.println(calls.nested());
        calls.others.add(2);
        System.out.println(calls.looked());
        calls.initialised();
        calls.searched(calls.new Text());
        calls.written(new PrintStream(calls.new Sink()));
        SortedSet<Object> set = new TreeSet<>(new Comparator<Object>() {
            public int compare(Object one, Object two) {
                calls.own.add("compared");
                return 0;
            }
        });
        calls.sorted(set);
        System.out.println(changed);
    }
}
