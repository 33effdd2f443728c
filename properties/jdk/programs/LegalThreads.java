import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.regex.*;
import java.security.*;
import javax.crypto.*;
import javax.crypto.spec.SecretKeySpec;

/** Uses of locks, threads, executors, databases, matchers and ciphers that their documentation allows. */
final class LegalThreads {
    /** A lock of its own kind: anybody may release it. */
    static final class Gate implements Lock {
        private final Semaphore one = new Semaphore(1);
        @Override public void lock() { one.acquireUninterruptibly(); }
        @Override public void lockInterruptibly() throws InterruptedException { one.acquire(); }
        @Override public boolean tryLock() { return one.tryAcquire(); }
        @Override public boolean tryLock(long t, TimeUnit u) throws InterruptedException { return one.tryAcquire(t, u); }
        @Override public void unlock() { one.release(); }
        @Override public Condition newCondition() { throw new UnsupportedOperationException(); }
    }

    /** A lock that is released when the outermost of its users leaves. */
    static final class Lenient extends ReentrantLock {
        @Override public void unlock() { if (isHeldByCurrentThread()) super.unlock(); }
        @Override public void lock() { super.lock(); }
    }

    /** Stays locked if it is asked to be released, until `really`. */
    static final class Sticky extends ReentrantLock {
        @Override public void unlock() { }
        void really() { super.unlock(); }
    }

    static final class Restartable extends Thread {
        private Thread now;
        @Override public synchronized void start() { now = new Thread(this); now.start(); }
        @Override public void run() { }
    }

    static class Counted extends Thread {
        int starts;
        @Override public synchronized void start() { starts++; super.start(); }
    }

    static final class Base extends Thread {
        @Override public void run() { super.run(); }
    }

    static final class CountingTimer extends java.util.Timer {
        CountingTimer() { super(true); }
        @Override public void schedule(TimerTask task, long delay) { super.schedule(task, delay); }
        @Override public void cancel() { super.cancel(); }
    }

    static final class Pool extends ThreadPoolExecutor {
        Pool() { super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new ThreadPoolExecutor.DiscardPolicy()); }
        @Override public void execute(Runnable r) { super.execute(r); }
    }

    @SuppressWarnings("unchecked")
    static <T> T stub(Class<T> type) {
        return (T) java.lang.reflect.Proxy.newProxyInstance(LegalThreads.class.getClassLoader(), new Class<?>[] {type},
            (proxy, method, arguments) -> {
                Class<?> result = method.getReturnType();
                if (result == boolean.class) return false;
                if (result == int.class) return 0;
                if (result.isInterface() && result.getName().startsWith("java.sql.")) return stub(result);
                return null;
            });
    }

    static void lockAndUnlock() {
        Lock lock = new ReentrantLock();
        lock.lock();
        try { lock.lock(); lock.unlock(); } finally { lock.unlock(); }
        if (lock.tryLock()) lock.unlock();
    }

    static void tryLockFails() throws Exception {
        Lock lock = new ReentrantLock();
        lock.lock();
        Thread other = new Thread(() -> { if (lock.tryLock()) lock.unlock(); });
        other.start();
        other.join();
        lock.unlock();
    }

    static void lockTakenElsewhere() {
        ReentrantLock lock = new ReentrantLock();
        Elsewhere.take(lock);
        lock.unlock();
    }

    /** Stands for code that is not instrumented: it takes locks by reflection. */
    static final class Elsewhere {
        static void take(Lock lock) {
            try {
                Lock.class.getMethod("lock").invoke(lock);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
    }

    static void lockThatAnybodyReleases() throws Exception {
        Lock gate = new Gate();
        gate.lock();
        Thread other = new Thread(gate::unlock);
        other.start();
        other.join();
        gate.unlock();
    }

    static void lenientUnlock() {
        Lock lock = new Lenient();
        lock.unlock();
        lock.lock();
        lock.unlock();
        lock.unlock();
    }

    static void readWriteLocks() {
        ReadWriteLock both = new ReentrantReadWriteLock();
        both.readLock().lock();
        both.readLock().unlock();
        both.writeLock().lock();
        both.readLock().lock();
        both.writeLock().unlock();
        both.readLock().unlock();
    }

    static void stampedLockViews() throws Exception {
        StampedLock stamped = new StampedLock();
        Lock read = stamped.asReadLock();
        read.lock();
        Thread other = new Thread(read::unlock);
        other.start();
        other.join();
    }

    static void conditionUnderLock() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        lock.lock();
        try { condition.signalAll(); condition.await(1, TimeUnit.MILLISECONDS); condition.signal(); } finally { lock.unlock(); }
    }

    @Legal("ConditionLock")
    static void conditionOfLockTakenElsewhere() {
        ReentrantLock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        Elsewhere.take(lock);
        condition.signal();
        lock.unlock();
    }

    static void conditionOfStickyLock() {
        Sticky lock = new Sticky();
        Condition condition = lock.newCondition();
        lock.lock();
        lock.unlock();
        condition.signal();
        lock.really();
    }

    @Legal("ConditionLock")
    static void conditionOfReadWriteLock() {
        ReentrantReadWriteLock both = new ReentrantReadWriteLock();
        Condition condition = both.writeLock().newCondition();
        both.writeLock().lock();
        condition.signalAll();
        both.writeLock().unlock();
    }

    @Legal("WaitNotify")
    static void notifyUnderSynchronized() throws Exception {
        Object o = new Object();
        synchronized (o) { o.notifyAll(); o.wait(1); }
    }

    static final class Own {
        synchronized void poke() { notify(); }
        static synchronized void all() { Own.class.notifyAll(); }
    }

    static void notifyInSynchronizedMethods() {
        new Own().poke();
        Own.all();
    }

    @Legal("WaitNotify")
    static void notifyUnderMonitorTakenByTheJdk() {
        Vector<Integer> vector = new Vector<>(List.of(1, 2));
        vector.forEach(i -> vector.notifyAll());
        StringBuffer buffer = new StringBuffer();
        buffer.append(new Object() { @Override public String toString() { return "x"; } });
        Hashtable<String, Integer> table = new Hashtable<>();
        table.computeIfAbsent("a", k -> { table.notifyAll(); return 1; });
        Map<String, Integer> map = Collections.synchronizedMap(new HashMap<>());
        map.computeIfAbsent("a", k -> { map.notifyAll(); return 1; });
    }

    static void notifyInHelper() {
        Object o = new Object();
        Runnable helper = o::notifyAll;
        synchronized (o) { helper.run(); }
    }

    @Legal("ThreadConfiguredLate, ThreadStartedTwice")
    static void threadStartedOnce() throws Exception {
        Thread thread = new Thread(() -> { });
        thread.start();
        thread.join();
        thread.isAlive();
        Counted counted = new Counted();
        counted.start();
        counted.join();
    }

    static void threadThatRestarts() {
        Restartable thread = new Restartable();
        thread.start();
        thread.start();
    }

    static void threadRunsSuper() throws Exception {
        Base base = new Base();
        base.start();
        base.join();
    }

    static void executorRuns() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        executor.submit(() -> 1).get();
        executor.shutdown();
        executor.awaitTermination(1, TimeUnit.SECONDS);
        executor.isTerminated();
        executor.shutdownNow();
    }

    static void executorDiscards() {
        Pool pool = new Pool();
        pool.shutdown();
        pool.execute(() -> { });
    }

    static void executorRunsInCaller() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            new ThreadPoolExecutor.CallerRunsPolicy());
        pool.shutdown();
        pool.execute(() -> { });
    }

    static void commonPoolIgnoresShutdown() {
        ForkJoinPool.commonPool().shutdown();
        ForkJoinPool.commonPool().submit(() -> { }).join();
    }

    static void scheduledStops() throws Exception {
        ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
        ScheduledFuture<?> future = executor.schedule(() -> 1, 1, TimeUnit.MILLISECONDS);
        future.get();
        executor.shutdownNow();
    }

    static void rejectedWhileRunning() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
        pool.execute(() -> { try { latch.await(); } catch (InterruptedException e) { } });
        try { pool.execute(() -> { }); } catch (RejectedExecutionException full) { latch.countDown(); }
        pool.shutdown();
    }

    @Legal("TimerCancelled, TimerTaskRescheduled")
    static void timerSchedules() {
        java.util.Timer timer = new CountingTimer();
        TimerTask task = new TimerTask() { @Override public void run() { } };
        timer.schedule(task, 1000);
        task.cancel();
        timer.cancel();
        timer.cancel();
        timer.purge();
    }

    @Legal("JdbcConnectionClosed, JdbcResultSetClosed, JdbcRow, JdbcStatementClosed")
    static void jdbcStubs() throws Exception {
        Connection connection = stub(Connection.class);
        connection.setAutoCommit(true);
        connection.commit();
        connection.rollback();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select 1");
        rows.getInt(1);
        rows.close();
        rows.next();
        statement.close();
        statement.execute("select 1");
        connection.close();
        connection.createStatement();
    }

    @Legal("MatcherMatch")
    static void matcherMatches() {
        Matcher matcher = Pattern.compile("a(b)?").matcher("xab");
        if (matcher.find()) { matcher.group(); matcher.start(1); }
        matcher.reset();
        while (matcher.find()) matcher.end();
        matcher.replaceAll("y");
        matcher.groupCount();
        matcher.hitEnd();
    }

    static void matcherMisusesGroupOnly() {
        Matcher matcher = Pattern.compile("a").matcher("a");
        matcher.find();
        try { matcher.group(7); } catch (IndexOutOfBoundsException expected) { }
        try { matcher.group("none"); } catch (IllegalArgumentException expected) { }
    }

    static void matcherToResult() {
        Matcher matcher = Pattern.compile("a").matcher("a");
        matcher.matches();
        MatchResult result = matcher.toMatchResult();
        matcher.reset("b");
        matcher.find();
        result.group();
        Scanner in = new Scanner("a b");
        in.findInLine("a");
        in.match().group();
    }

    @Legal("CipherInit, MacInit")
    static void cipherInitialised() throws Exception {
        Cipher cipher = Cipher.getInstance("AES/ECB/PKCS5Padding");
        cipher.getBlockSize();
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"));
        cipher.update(new byte[3]);
        cipher.doFinal();
        cipher.doFinal(new byte[3]);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(new byte[16], "AES"));
        mac.update((byte) 1);
        mac.doFinal();
        mac.reset();
        mac.doFinal(new byte[1]);
    }

    @Legal("CipherInit")
    static void cipherFailsOtherwise() throws Exception {
        Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"));
        try { cipher.doFinal(new byte[3]); } catch (IllegalBlockSizeException expected) { }
    }

    @Legal("SignatureInit")
    static void signatures() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("DSA");
        generator.initialize(1024);
        KeyPair keys = generator.generateKeyPair();
        Signature signature = Signature.getInstance("SHA256withDSA");
        signature.initSign(keys.getPrivate());
        signature.update((byte) 1);
        byte[] signed = signature.sign();
        signature.initVerify(keys.getPublic());
        signature.update((byte) 1);
        if (!signature.verify(signed)) throw new AssertionError();
        signature.initVerify(keys.getPublic());
        try { signature.verify(new byte[2]); } catch (SignatureException notOne) { }
    }
}
