import java.util.concurrent.locks.ReentrantLock;

/** Takes a lock twice and gives it back once. */
public class LocksBad {
    public static void main(String[] args) {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        lock.lock();
        lock.unlock();
        System.out.println(lock.isLocked());
    }
}
