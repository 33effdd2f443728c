import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.regex.*;
import java.security.*;
import javax.crypto.*;
import java.lang.reflect.Proxy;
import java.sql.*;

/** Uses of locks, threads, executors, databases, matchers and ciphers that throw, as the documentation says. */
final class ThrowsThreads {
    /** A connection, statement or result set that answers, and that throws once it is closed or asked for the wrong. */
    @SuppressWarnings("unchecked")
    static <T> T database(Class<T> type, boolean[] parent) {
        boolean[] closed = {false};
        boolean[] automatic = {false};
        int[] row = {0};
        return (T) Proxy.newProxyInstance(ThrowsThreads.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            String name = method.getName();
            if (name.equals("close")) { closed[0] = true; return null; }
            if (closed[0] || parent[0]) throw name.equals("setClientInfo") ? new SQLClientInfoException() : new SQLException("closed");
            if (name.equals("setAutoCommit")) automatic[0] = (Boolean) arguments[0];
            boolean ends = Set.of("commit", "rollback", "setSavepoint").contains(name);
            if (ends && automatic[0]) throw new SQLException("auto-commit");
            if (name.equals("next")) return row[0]++ < 1;
            boolean isOfRow = type == ResultSet.class && (name.startsWith("get") || name.endsWith("Row"));
            if (isOfRow && row[0] != 1) throw new SQLException("no row");
            Class<?> result = method.getReturnType();
            if (result == boolean.class) return false;
            if (result == int.class) return 0;
            return result.getName().startsWith("java.sql.") ? database(result, closed) : null;
        });
    }

    static Connection connection() { return database(Connection.class, new boolean[1]); }

    @Found("LockUnlock")
    static void unlockUnheld() { new ReentrantLock().unlock(); }
    @Found("LockUnlock")
    static void unlockTwice() { Lock lock = new ReentrantLock(); lock.lock(); lock.unlock(); lock.unlock(); }
    @Found("LockUnlock")
    static void unlockRead() { new ReentrantReadWriteLock().readLock().unlock(); }
    @Found("LockUnlock")
    static void unlockWrite() { new ReentrantReadWriteLock().writeLock().unlock(); }
    @Found("LockNeverReleased, LockUnlock")
    static void unlockAfterFailedTry() throws Exception {
        Lock lock = new ReentrantLock();
        Thread holder = new Thread(lock::lock);
        holder.start();
        holder.join();
        try { lock.tryLock(); } finally { lock.unlock(); }
    }
    @Found("LockUnlock")
    static void unlockOfOther() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        FutureTask<Void> task = new FutureTask<>(lock::unlock, null);
        new Thread(task).start();
        try { task.get(); } catch (ExecutionException e) { throw (RuntimeException) e.getCause(); }
    }
    @Found("LockUnlock")
    static void unlockStamped() { new StampedLock().asWriteLock().unlock(); }
    @Found("ConditionLock")
    static void signalUnheld() { new ReentrantLock().newCondition().signal(); }
    @Found("ConditionLock")
    static void signalAllUnheld() { new ReentrantReadWriteLock().writeLock().newCondition().signalAll(); }
    @Found("ConditionLock")
    static void awaitUnheld() throws Exception { new ReentrantLock().newCondition().await(); }
    @Found("ConditionLock")
    static void awaitNanosUnheld() throws Exception { new ReentrantLock().newCondition().awaitNanos(1); }
    @Found("WaitNotify")
    static void notifyUnheld() { new Object().notify(); }
    @Found("WaitNotify")
    static void notifyAllUnheld() { new Object().notifyAll(); }
    @Found("WaitNotify")
    static void waitUnheld() throws Exception { new Object().wait(); }
    @Found("WaitNotify")
    static void waitTimedUnheld() throws Exception { new Object().wait(1); }
    @Found("WaitNotify")
    static void notifyOtherObject() { Object a = new Object(); Object b = new Object(); synchronized (a) { b.notify(); } }
    @Found("WaitNotify")
    static void notifyByReference() { Object a = new Object(); Runnable r = a::notify; r.run(); }
    @Found("ThreadStartedTwice")
    static void startTwice() { Thread t = new Thread(() -> { }); t.start(); t.start(); }
    @Found("ThreadStartedTwice")
    static void startAfterEnd() throws Exception { Thread t = new Thread(() -> { }); t.start(); t.join(); t.start(); }
    @Found("ThreadStartedTwice")
    static void startSubclassTwice() {
        class Mine extends Thread { @Override public void start() { super.start(); } }
        Mine t = new Mine();
        t.start();
        t.start();
    }
    @Found("ExecutorAfterShutdown")
    static void executeAfterShutdown() { ExecutorService e = Executors.newCachedThreadPool(); e.shutdown(); e.execute(() -> { }); }
    @Found("ExecutorAfterShutdown")
    static void submitAfterShutdown() { ExecutorService e = Executors.newFixedThreadPool(1); e.shutdownNow(); e.submit(() -> 1); }
    @Found("ExecutorAfterShutdown")
    static void scheduleAfterShutdown() { ScheduledExecutorService e = Executors.newScheduledThreadPool(1); e.shutdown(); e.schedule(() -> 1, 1, TimeUnit.DAYS); }
    @Found("ExecutorAfterShutdown")
    static void forkJoinAfterShutdown() { ForkJoinPool e = new ForkJoinPool(1); e.shutdown(); e.submit(() -> 1); }
    @Found("TimerCancelled")
    static void scheduleCancelledTimer() { java.util.Timer t = new java.util.Timer(true); t.cancel(); t.schedule(task(), 1); }
    @Found("TimerCancelled")
    static void rateOnCancelledTimer() { java.util.Timer t = new java.util.Timer(true); t.cancel(); t.scheduleAtFixedRate(task(), 1, 1); }
    @Found("TimerTaskRescheduled")
    static void scheduleTaskTwice() { java.util.Timer t = new java.util.Timer(true); TimerTask task = task(); t.schedule(task, 9999); t.schedule(task, 9999); }
    @Found("TimerTaskRescheduled")
    static void scheduleCancelledTask() { java.util.Timer t = new java.util.Timer(true); TimerTask task = task(); task.cancel(); t.schedule(task, 9999); }

    static TimerTask task() { return new TimerTask() { @Override public void run() { } }; }

    @Found("MatcherMatch")
    static void groupUntried() { Pattern.compile("a").matcher("a").group(); }
    @Found("MatcherMatch")
    static void groupAfterFailure() { Matcher m = Pattern.compile("a").matcher("b"); m.find(); m.group(); }
    @Found("MatcherMatch")
    static void startAfterFailure() { Matcher m = Pattern.compile("a").matcher("b"); m.matches(); m.start(); }
    @Found("MatcherMatch")
    static void endAfterReset() { Matcher m = Pattern.compile("a").matcher("a"); m.find(); m.reset(); m.end(); }
    @Found("MatcherMatch")
    static void namedGroupUntried() { Pattern.compile("(?<x>a)").matcher("a").group("x"); }
    @Found("MatcherMatch")
    static void appendUntried() { Pattern.compile("a").matcher("a").appendReplacement(new StringBuilder(), "b"); }
    @Found("MatcherMatch")
    static void groupAfterRegion() { Matcher m = Pattern.compile("a").matcher("aa"); m.find(); m.region(0, 1); m.group(); }
    @Found("MatcherMatch")
    static void resultUntried() { Pattern.compile("a").matcher("a").toMatchResult().group(); }
    @Found("CipherInit")
    static void cipherUpdate() throws Exception { Cipher.getInstance("AES").update(new byte[3]); }
    @Found("CipherInit")
    static void cipherFinal() throws Exception { Cipher.getInstance("AES").doFinal(); }
    @Found("CipherInit")
    static void cipherWrap() throws Exception { Cipher.getInstance("AES").wrap(new javax.crypto.spec.SecretKeySpec(new byte[16], "AES")); }
    @Found("MacInit")
    static void macUpdate() throws Exception { Mac.getInstance("HmacSHA256").update((byte) 1); }
    @Found("MacInit")
    static void macFinal() throws Exception { Mac.getInstance("HmacSHA256").doFinal(); }
    @Found("SignatureInit")
    static void signatureUpdate() throws Exception { Signature.getInstance("SHA256withRSA").update((byte) 1); }
    @Found("SignatureInit")
    static void signatureSign() throws Exception { Signature.getInstance("SHA256withRSA").sign(); }
    @Found("SignatureInit")
    static void signatureVerifyWhileSigning() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024);
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(generator.generateKeyPair().getPrivate());
        signature.verify(new byte[2]);
    }
    @Found("JdbcConnectionClosed")
    static void statementOfClosedConnection() throws Exception { Connection c = connection(); c.close(); c.createStatement(); }
    @Found("JdbcConnectionClosed")
    static void commitOfClosedConnection() throws Exception { Connection c = connection(); c.close(); c.commit(); }
    @Found("JdbcAutoCommit")
    static void commitByHand() throws Exception { Connection c = connection(); c.setAutoCommit(true); c.commit(); }
    @Found("JdbcStatementClosed")
    static void closedStatement() throws Exception { Statement s = connection().createStatement(); s.close(); s.execute("x"); }
    @Found("JdbcStatementClosed")
    static void statementAfterConnection() throws Exception { Connection c = connection(); Statement s = c.createStatement(); c.close(); s.executeUpdate("x"); }
    @Found("JdbcResultSetClosed")
    static void closedRows() throws Exception { ResultSet r = connection().createStatement().executeQuery("x"); r.close(); r.next(); }
    @Found("JdbcResultSetClosed")
    static void rowsAfterStatement() throws Exception { Statement s = connection().createStatement(); ResultSet r = s.executeQuery("x"); s.close(); r.next(); }
    @Found("JdbcRow")
    static void columnBeforeNext() throws Exception { ResultSet r = connection().createStatement().executeQuery("x"); r.getInt(1); }
    @Found("JdbcRow")
    static void columnAfterEnd() throws Exception { ResultSet r = connection().createStatement().executeQuery("x"); while (r.next()) r.getInt(1); r.getInt(1); }
}
