package flow;

public class Main {
    static class Quiet {
        static int value = 3;
        static { if (value > 2) value++; }
    }

    static int pick(int n) {
        int r = 0;
        for (int i = 0; i < n; i++) {
            try {
                r += 10 / (i - 1);
            } catch (ArithmeticException | NullPointerException e) {
                r += 100;
            }
        }
        switch (n) {
            case 1: return -1;
            case 3: return r;
            default: return 0;
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(pick(3));
        System.out.println(Quiet.value);
        Thread t = new Thread(() -> System.out.println("run"));
        t.start();
        t.join();
        try {
            Object o = null;
            o.hashCode();
        } catch (NullPointerException e) {
            System.out.println("null");
        }
    }
}
