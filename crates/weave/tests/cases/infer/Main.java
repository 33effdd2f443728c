package infer;

import java.util.*;

public class Main {
    @Deprecated static int source(String s) { return s.length(); }
    static void sink(int n, Object o) { System.out.println(n); }
    static class Box { int v; Box(int v) { this.v = v; } int get() { return v; } }

    public static void main(String[] args) {
        int n = source("abc");
        sink(n, "o");
        Box b = new Box(4);
        System.out.println(b.get());
        Object[] a = {1, "x"};
        a[0] = a[1];
        ArrayList<String> l = new ArrayList<>();
        l.add("q");
        l.hashCode();
    }
}
