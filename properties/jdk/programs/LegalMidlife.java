import java.io.*;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.text.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.regex.*;

/** Legal uses that begin before monitoring does, and go on when a byte was read: what began unseen is no verdict. */
final class LegalMidlife {
    public static void main(String[] arguments) throws Exception {
        List<Integer> list = new ArrayList<>(List.of(1, 2, 3, 4));
        Iterator<Integer> walk = list.iterator();
        walk.next();
        Map<String, Integer> map = new HashMap<>(Map.of("a", 1, "b", 2));
        Iterator<String> keys = map.keySet().iterator();
        List<Integer> shared = Collections.synchronizedList(new ArrayList<>(list));
        Map<Integer, Integer> sharedMap = Collections.synchronizedMap(new HashMap<>(Map.of(1, 2)));
        Set<List<Integer>> set = new HashSet<>();
        List<Integer> element = new ArrayList<>();
        set.add(element);
        Matcher matcher = Pattern.compile("a").matcher("ba");
        matcher.find();
        Lock one = new ReentrantLock(), two = new ReentrantLock(), read = new ReentrantReadWriteLock().readLock();
        Lock free = new ReentrantLock();
        Object gate = new Object(), inner = new Object();
        Writer writer = new BufferedWriter(new StringWriter());
        writer.write("before");
        Connection connection = Jdbc.connection();
        connection.setAutoCommit(false);
        PreparedStatement statement = connection.prepareStatement("update t set a = 1");
        statement.executeUpdate();
        ExecutorService executor = Executors.newFixedThreadPool(1);
        executor.submit(() -> 1).get();
        CountDownLatch inside = new CountDownLatch(1), over = new CountDownLatch(1);
        DateFormat format = new SimpleDateFormat("yyyy");
        Date slow = new Date() {
            @Override public long getTime() {
                inside.countDown();
                try { over.await(); } catch (InterruptedException e) { throw new AssertionError(e); }
                return super.getTime();
            }
        };
        Thread formats = new Thread(() -> { synchronized (format) { format.format(slow); } });
        formats.start();
        inside.await();
        // A method that runs while monitoring begins goes on as it was: what comes then is in methods of its own.
        Callable<Void> held = () -> {
            for (int each : shared) each++;
            synchronized (inner) { free.lock(); free.unlock(); }
            return null;
        };
        Callable<Void> rest = () -> {
            read.unlock();
            two.lock();
            two.unlock();
            one.unlock();
            Thread other = new Thread(() -> {
                two.lock();
                two.unlock();
                one.lock();
                one.unlock();
                free.lock();
                free.unlock();
            });
            other.start();
            other.join();
            over.countDown();
            formats.join();
            format.format(new Date());
            walk.next();
            walk.remove();
            while (walk.hasNext()) walk.next();
            keys.next();
            keys.remove();
            synchronized (sharedMap) { for (int key : sharedMap.keySet()) key++; }
            set.remove(element);
            element.add(1);
            set.contains(element);
            set.add(element);
            matcher.group();
            writer.write("after");
            writer.close();
            connection.commit();
            connection.close();
            executor.shutdown();
            return null;
        };
        one.lock();
        read.lock();
        synchronized (shared) {
            synchronized (gate) {
                System.out.println("ready");
                System.in.read();
                held.call();
            }
        }
        rest.call();
    }
}
