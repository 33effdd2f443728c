import java.util.*;

/** Since JDK 25 the launcher makes an object and calls `main` on it, where `main` is not static. */
class Launched extends ArrayList<Object> {
    static class Other extends ArrayList<Object> {}

    void main() {
        super.add("a");
        Iterator<Object> all = iterator();
        List<List<Object>> lists = new ArrayList<>();
        lists.add(this);
        lists.add(new Other());
        lists.get(0).add("b");
        all.next();
    }

    public static void main(String[] args) {
        new Other().add("a");
    }
}
