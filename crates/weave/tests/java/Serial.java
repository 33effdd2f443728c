import java.io.*;
import java.util.*;

/** Classes of many shapes that can be serialised; prints what serialisation says about them. */
public class Serial {
    static class Plain implements Serializable { int a; private String b; transient long c; private static int d; public volatile int e; }
    protected static abstract class Shape implements Serializable, Cloneable, Comparable<Shape> {
        static final int K; static { K = 3; }
        protected Shape(int x) {}
        Shape(String s, int[] a) {}
        private Shape() {}
        abstract double area(List<String> l);
        public synchronized void lock() {}
        static native void nothing();
        private void hidden() {}
        public int compareTo(Shape o) { return 0; }
    }
    private static final class Square extends Shape {
        double side = 2;
        Square() { super(1); }
        double area(List<String> l) { Runnable r = () -> System.out.println(side); return side * side; }
        strictfp double odd() { return 1; }
    }
    class Inner implements Serializable { int v = 1; int outer() { return hash; } }
    static class Pinned implements Serializable { static final long serialVersionUID = 42; int x; }
    static class Outside implements Externalizable {
        public Outside() {}
        public void writeExternal(ObjectOutput o) {}
        public void readExternal(ObjectInput i) {}
    }
    static class Not { int x; }
    int hash = 5;

    public static void main(String[] args) throws Exception {
        Class<?>[] classes = {Plain.class, Shape.class, Square.class, Inner.class, Pinned.class, Outside.class};
        for (Class<?> c : classes) System.out.println(c.getName() + " " + ObjectStreamClass.lookup(c).getSerialVersionUID());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) { out.writeObject(new Plain()); }
        System.out.println(Arrays.hashCode(bytes.toByteArray()));
        Object back = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        System.out.println(back.getClass() + " " + new Not().x);
    }
}
