import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.*;

/**
 * Loops over lists, in code that C2 has compiled: prints nanoseconds of processor time per element. The first argument
 * is the size of a list, the second how many threads loop, each over a list of its own.
 */
public class Loop {
    static final int ROUNDS = 24, ELEMENTS = 3_000_000;
    static final ThreadMXBean TIME = ManagementFactory.getThreadMXBean();

    static long loop(List<Integer> list, int times) {
        long sum = 0;
        for (int n = 0; n < times; n++) for (int element : list) sum += element;
        return sum;
    }

    /** The best of some rounds: the first are not compiled yet. */
    static double measure(int size) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < size; i++) list.add(i % 100);
        int times = ELEMENTS / size;
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = TIME.getCurrentThreadCpuTime();
            if (loop(list, times) < 0) throw new AssertionError();
            double took = TIME.getCurrentThreadCpuTime() - start;
            best = Math.min(best, took / times / size);
        }
        return best;
    }

    public static void main(String[] args) throws InterruptedException {
        int size = Integer.parseInt(args[0]);
        double[] best = new double[Integer.parseInt(args[1])];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < best.length; i++) {
            int own = i;
            threads.add(new Thread(() -> best[own] = measure(size)));
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.printf(Locale.ROOT, "%.2f%n", Arrays.stream(best).average().getAsDouble());
    }
}
