import java.util.ArrayList;
import java.util.List;

/** Branches of every kind, with values of every kind alive across them. */
public class Widen {
    final int a;
    final String b;

    Widen(int a, String b) {
        this.a = a;
        this.b = b;
    }

    Widen(boolean flag, int n) {
        this(flag ? n : -n, n > 3 ? "big" : "small");
    }

    static String compareInts(int x, int y) {
        StringBuilder s = new StringBuilder();
        if (x == y) s.append("eq ");
        if (x != y) s.append("ne ");
        if (x < y) s.append("lt ");
        if (x >= y) s.append("ge ");
        if (x > y) s.append("gt ");
        if (x <= y) s.append("le ");
        if (x == 0) s.append("z ");
        if (x != 0) s.append("nz ");
        if (x < 0) s.append("neg ");
        if (x >= 0) s.append("nneg ");
        if (x > 0) s.append("pos ");
        if (x <= 0) s.append("npos ");
        return s.toString();
    }

    static String compareReferences(Object x, Object y) {
        String r = "";
        if (x == null) r += "null ";
        if (x != null) r += "some ";
        if (x == y) r += "same ";
        if (x != y) r += "other ";
        return r;
    }

    static long loops(int n, long seed, double scale) {
        long sum = seed;
        double d = scale;
        float f = 1.5f;
        int[][] grid = new int[n + 1][n + 1];
        List<Object> list = new ArrayList<>();
        for (int i = 0; i <= n; i++) {
            for (int j = 0; j <= n; j++) {
                grid[i][j] = i * j;
                if ((i ^ j) % 3 == 0) continue;
                sum += grid[i][j];
                if (sum > 1000 && d > 2.0) break;
            }
            d = d > 10 ? d / 2 : d * 1.25;
            f = f < 100 ? f + i : 0;
            list.add(i % 2 == 0 ? (Object) Integer.valueOf(i) : "s" + i);
        }
        for (Object o : list) sum = sum * 31 + (o instanceof String ? ((String) o).length() : (Integer) o);
        return sum + (long) (d * 100) + (long) f;
    }

    static int switches(int x, String s) {
        int r = 0;
        switch (x) {
            case 0: r += 1;
            case 1: r += 2; break;
            case 2: r += 4; break;
            case 5: r += 8; break;
            default: r += 16;
        }
        switch (x * 1000) {
            case -1000: r += 32; break;
            case 0: r += 64; break;
            case 5000: r += 128; break;
        }
        switch (s) {
            case "one": return r + 1000;
            case "two": return r + 2000;
            default: return r;
        }
    }

    static String exceptions(int x) {
        String where = "start";
        long keep = 77;
        try {
            where = "try";
            if (x == 0) throw new IllegalStateException("zero");
            keep += 100 / (x - 1);
            synchronized (where) {
                keep += new int[3][2][x > 2 ? 5 : 1].length;
                if (x == 4) return "early " + keep;
            }
        } catch (ArithmeticException e) {
            where += " div";
        } catch (IllegalStateException | ArrayIndexOutOfBoundsException e) {
            where += " " + e.getClass().getSimpleName();
        } finally {
            where += " finally";
            if (keep > 150) where += " large";
        }
        return where + " " + keep;
    }

    /** Uninitialised objects on the stack across branches. */
    static String allocations(int n, boolean flag) {
        Widen w = new Widen(flag ? n : 0, n > 2 ? flag ? "ab" : "cd" : null);
        Widen v = new Widen(n == 3, new Widen(!flag, n).a);
        return w.a + "," + w.b + "," + v.a + "," + v.b;
    }

    static int lambdas(int k) {
        final int m = k;
        java.util.function.IntUnaryOperator op = k > 1 ? i -> i > 2 ? i * m : -i : i -> i < 0 ? 0 : i;
        int sum = 0;
        do sum += op.applyAsInt(k); while (--k > -3);
        return sum;
    }

    public static void main(String[] args) {
        int[] ints = {-7, -1, 0, 1, 2, 3, 4, 5, 100};
        Object[] objects = {null, "x", 3};
        for (int x : ints) {
            for (int y : ints) System.out.println(compareInts(x, y));
            System.out.println(switches(x, x > 1 ? "one" : x == 1 ? "two" : "three"));
            System.out.println(exceptions(x) + " " + lambdas(Math.min(x, 9)));
            System.out.println(allocations(x, x % 2 == 0));
        }
        for (Object x : objects) for (Object y : objects) System.out.println(compareReferences(x, y));
        for (int n = 0; n < 7; n++) System.out.println(loops(n, n * 3L, n / 2.0));
    }
}
