package java.util;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Plays events to the runtime as a script has them, and prints what it reports: a line for each
 * event, or for all that happen side by side. It is in the runtime's package, and takes the place
 * of the agent.
 */
public final class WatchwordDriver extends WatchwordAgent {
    /** Objects that hold a cell, as the test makes them of these; a cell and an identity; the same,
     * with a class file that is so old that it cannot name its class. */
    static class OfCell {}

    static class OfBoth {}

    static class OfOld {}

    private final IdentityHashMap<Object, Long> sides = new IdentityHashMap<>();
    private final HashMap<String, Method> hooks = new HashMap<>();
    private final ArrayList<String> told = new ArrayList<>();
    /** The cases of a choice for objects of a class, by number and simple name. */
    private final HashMap<String, Integer> cases = new HashMap<>();
    private Object[] objects;
    /** How many cases there were. */
    private int begun;
    /** How often the agent was called. */
    private long called;
    /** Far from the identities that objects hold. */
    private long lastSide = 1L << 40;

    public static void main(String[] arguments) throws Exception {
        WatchwordDriver driver = new WatchwordDriver();
        begin(driver);
        listen();
        PrintStream out = new PrintStream(arguments[1], "UTF-8");
        try (BufferedReader script = new BufferedReader(new FileReader(arguments[0]))) {
            for (String line; (line = script.readLine()) != null;) {
                driver.command(line.split(" "), script, out);
            }
        }
        out.flush();
        if (out.checkError()) {
            throw new IOException("the answer cannot be written");
        }
    }

    private void command(String[] words, BufferedReader script, PrintStream out) throws Exception {
        switch (words[0]) {
            case "case":
                // Shared cells are of the properties before.
                WatchwordCell.BLANK.edges = null;
                WatchwordCell.BLANK.size = 0;
                // In half of the cases, edges come to an end all the time.
                WatchwordKept.cells = new WatchwordCell[++begun % 2 == 0 ? 1 : 1000];
                WatchwordKept.next = 0;
                sides.clear();
                Thread.class.getField("$watchword$counts").set(Thread.currentThread(), null);
                inline(number(words[1]), number(words[2]), number(words[3]));
                objects = new Object[number(words[4])];
                for (int i = 1; i < objects.length; i++) {
                    objects[i] = object(words[5].charAt(i % words[5].length()));
                }
                break;
            case "letter":
                letter(number(words[1]), number(words[2]), Long.parseLong(words[3]),
                        number(words[4]), number(words[5]));
                break;
            case "chain":
                chain(number(words[1]), Long.parseLong(words[2]));
                break;
            case "site":
                site(number(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
                break;
            case "choice":
                choice(number(words[1]), number(words[2]));
                break;
            case "class":
                cases.put(words[1] + " " + words[2], number(words[3]));
                break;
            case "event":
                event(words);
                out.println(answer());
                break;
            case "threads":
                Runnable[] works = new Runnable[number(words[1])];
                for (int i = 0; i < works.length; i++) {
                    ArrayList<String[]> events = new ArrayList<>();
                    for (int left = number(words[3 + i]); left > 0; left--) {
                        events.add(script.readLine().split(" "));
                    }
                    works[i] = () -> events.forEach(this::event);
                }
                WatchwordTurns.run(works, Long.parseLong(words[2]));
                out.println(answer());
                break;
            case "costs":
                out.println(called + " " + WatchwordTurns.entered + " " + WatchwordTurns.made);
                break;
            case "end":
                out.println(Arrays.toString(total()));
                break;
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }

    private static Object object(char kind) {
        switch (kind) {
            case 'c': return new OfCell();
            case 'b': return new OfBoth();
            case 'o': return new OfOld();
            default: return new Object();
        }
    }

    /**
     * event, site, hook (- for that of all sites), objects, flag; if there is no hook (?), objects,
     * case, letter.
     */
    private void event(String[] words) {
        int site = number(words[1]);
        Object a = objects[number(words[3])];
        Object b = objects[number(words[4])];
        int flag = number(words[5]);
        if (words[2].equals("?")) {
            act(site, number(words[6]), a, b, flag);
        } else if (words[2].equals("-")) {
            WatchwordHook.e(site, a, b, flag);
        } else {
            try {
                hook(words[2]).invoke(null, site, a, b, (long) flag);
            } catch (IllegalAccessException | InvocationTargetException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    private synchronized Method hook(String name) {
        return hooks.computeIfAbsent(name, key -> {
            try {
                Class<?> type = Class.forName("java.util." + key, true, null);
                return type.getMethod("e", int.class, Object.class, Object.class, long.class);
            } catch (ReflectiveOperationException failure) {
                throw new IllegalStateException(failure);
            }
        });
    }

    private String answer() {
        String all = String.join(" ", told);
        told.clear();
        return all;
    }

    /** The number of an object; 0 if there is none. */
    private int numberOf(long id) {
        for (int i = 1; id != 0 && i < objects.length; i++) {
            Object object = objects[i];
            Long side = sides.get(object);
            long own = object instanceof WatchwordTracked
                    ? ((WatchwordTracked) object).$watchword$id() : side == null ? 0 : side;
            if (own == id) {
                return i;
            }
        }
        return 0;
    }

    @Override
    public void told(
            int site, int letter, int which, long leaf, long middle, long root, int code, long h0,
            long h1) {
        called++;
        told.add(letter + "," + numberOf(leaf) + "," + numberOf(middle) + "," + numberOf(root) + ","
                + (h0 & WatchwordCell.TAG) + "," + which + "," + code);
    }

    @Override
    public int cases(int choice, Class<?> type) {
        called++;
        return cases.get(choice + " " + type.getSimpleName());
    }

    @Override
    public boolean inside() {
        called++;
        return false;
    }

    @Override
    public void exhausted() {
        throw new IllegalStateException("the heap is full");
    }

    @Override
    public long gone() {
        called++;
        return 0;
    }

    @Override
    public long side(Object object) {
        called++;
        Long known = sides.get(object);
        if (known == null) {
            known = ++lastSide;
            sides.put(object, known);
        }
        return known;
    }

    @Override
    public long number(Class<?> type) {
        called++;
        return 0;
    }

    @Override
    public Object[] hide(Object[] members) {
        called++;
        return members;
    }
}
