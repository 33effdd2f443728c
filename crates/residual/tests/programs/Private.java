import java.util.*;

/** Private methods of objects that are followed: which one runs is not a matter of the object's class. */
class Private {
    static class Bag extends ArrayList<Object> {
        private Iterator<Object> begin(List<Object> list) {
            return list.iterator();
        }

        Iterator<Object> of(List<Object> list) {
            return begin(list);
        }
    }

    /** Has a method of the same name, which overrides nothing. */
    static class Larger extends Bag {
        Iterator<Object> begin(List<Object> list) {
            return null;
        }
    }

    interface Beginner extends Collection<Object> {
        private Iterator<Object> start(List<Object> list) {
            return list.iterator();
        }

        default Iterator<Object> started(List<Object> list) {
            return start(list);
        }
    }

    static class Both extends ArrayList<Object> implements Beginner {}

    static List<Object> list() {
        return new ArrayList<>(List.of(1, 2));
    }

    static void take(Iterator<Object> it) {
        try {
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("changed");
        }
    }

    public static void main(String[] args) {
        List<Object> one = list();
        Iterator<Object> it = new Bag().of(one);
        one.add(3);
        take(it);
        List<Object> two = list();
        it = new Larger().of(two);
        two.add(3);
        take(it);
        List<Object> three = list();
        it = new Both().started(three);
        three.add(3);
        take(it);
    }
}
