package expression;

import java.util.concurrent.locks.*;

public class Main {
    static final Object GATE = new Object();
    final Lock lock = new ReentrantLock();
    final ReadWriteLock both = new ReentrantReadWriteLock();
    final Lock[] all = {lock};

    static class Account {
        final Lock guard = new ReentrantLock();

        Lock guard() {
            return guard;
        }
    }

    synchronized void own() {}

    static synchronized void ofClass() {}

    void run(Account account, Lock given, boolean which) {
        synchronized (GATE) {
            synchronized (this) {
                synchronized (Main.class) {
                    lock.lock();
                }
            }
        }
        both.readLock().lock();
        account.guard.lock();
        account.guard().lock();
        Lock kept = account.guard;
        kept.lock();
        given.lock();
        all[0].lock();
        (which ? lock : given).lock();
        Lock one = lock;
        if (which) {
            one = given;
        }
        one.lock();
        ((ReentrantLock) lock).lock();
    }

    public static void main(String[] args) {
        Main main = new Main();
        main.own();
        ofClass();
        main.run(new Account(), new ReentrantLock(), true);
    }
}
