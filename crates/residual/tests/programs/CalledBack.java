import java.util.*;

/** The JDK calls methods of the program on what it is only lent. */
class CalledBack {
    static class Shown extends ArrayList<Object> {
        @Override
        public String toString() {
            add("shown");
            return "";
        }
    }

    static void shown() {
        List<Object> list = new Shown();
        Iterator<Object> it = list.iterator();
        String.valueOf(list);
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        shown();
    }
}
