package patterns;

import java.lang.annotation.*;
import java.util.*;

public class Main {
    @Retention(RetentionPolicy.CLASS) @interface Audited {}
    @Retention(RetentionPolicy.RUNTIME) @interface Entity {}

    @Entity static class User { @Audited void save(int n) {} void load() {} @Audited long id = 4; }
    static class Other { @Audited void save(String s) {} }
    interface Shape { double area(); }
    static class Square implements Shape { public double area() { return 4; } }
    static class Circle implements Shape { public double area() { return 3.14; } }

    static void helper(List<Object> list) { list.add("helper"); }

    public static void main(String[] args) {
        User u = new User();
        u.save(1);
        u.load();
        u.id++;
        new Other().save("s");
        for (Shape s : new Shape[] {new Square(), new Circle()}) System.out.println(s.area());
        List<Object> list = new ArrayList<>();
        List<Object> linked = new LinkedList<>();
        list.add("array");
        linked.add("linked");
        helper(list);
        Object o = list;
        System.out.println(o.equals(linked) + " " + "s".equals(o));
        System.out.println(Objects.hash(1, 2));
    }
}
