package negated;

import java.util.*;

public class Main {
    interface Door { void open(); }
    static class Gate implements Door { public void open() { } }
    static class Barn implements Door { public void open() { } }

    public static void main(String[] args) {
        for (List<String> list : List.of(new ArrayList<String>(), new LinkedList<String>())) {
            list.add("x");
        }
        ArrayList<String> known = new ArrayList<>();
        known.add("y");
        for (Door door : new Door[] { new Gate(), new Barn() }) door.open();
        try {
            ((Door) null).open();
        } catch (NullPointerException e) {
            System.out.println("null");
        }
    }
}
