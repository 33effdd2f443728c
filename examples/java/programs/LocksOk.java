import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Two threads that take and give back. */
public class LocksOk {
    static final Lock LOCK = new ReentrantLock();
    static int sum;

    static void work() {
        for (int i = 0; i < 1000; i++) {
            LOCK.lock();
            try {
                sum++;
            } finally {
                LOCK.unlock();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(LocksOk::work);
        other.start();
        work();
        other.join();
        System.out.println(sum);
    }
}
