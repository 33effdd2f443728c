package values;

public class Main {
    static int counter;
    long total;
    Object[] items = new String[] {"a", "b"};
    boolean[] flags = new boolean[2];

    class Inner {
        int y = 3;
        int outer() { return (int) total; }
    }

    void work(Object lock, int n) {
        total = n;
        total += 2;
        counter++;
        items[0] = "z" + items[1];
        flags[1] = !flags[0];
        double[][] grid = new double[2][3];
        grid[1][2] = 1.25;
        Object o = items;
        String[] s = (String[]) o;
        System.out.println(s[0] + grid[1][2]);
        synchronized (lock) {
            counter = -1;
        }
        try {
            synchronized (this) {
                Integer i = (Integer) o;
            }
        } catch (ClassCastException e) {
            System.out.println("cast");
        }
        System.out.println(new Inner().outer());
        byte[] bytes = {1, 2};
        char[] chars = {'x'};
        bytes[0] = (byte) chars[0];
        StringBuilder b = new StringBuilder(new String("q"));
        System.out.println(b);
    }

    public static void main(String[] args) {
        new Main().work("lock", 5);
    }
}
