import java.util.*;

/** A type of the program has a method that one class implements and another inherits from the JDK. */
class AskedByOwn {
    interface Gives {
        Object get(int index);
    }

    static class Inheriting extends ArrayList<Object> implements Gives {}

    static class Empty implements Gives {
        public Object get(int index) {
            return null;
        }
    }

    @SuppressWarnings("unchecked")
    static void change(Gives gives) {
        ((List<Object>) gives.get(0)).add("b");
    }

    static void change(List<Object> list) {
        list.add("c");
    }

    public static void main(String[] args) {
        List<Object> list = new ArrayList<>(List.of("a"));
        Iterator<Object> all = list.iterator();
        Inheriting in = new Inheriting();
        in.add(list);
        change(new ArrayList<>());
        change(args.length > 0 ? new Empty() : in);
        try {
            all.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }
}
