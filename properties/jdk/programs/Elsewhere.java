import java.io.Writer;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Lock;

/** What snippets leave to others: code that is not watched if the scope is that of the snippets. */
final class Elsewhere {
    static void unlock(Lock lock) { lock.unlock(); }

    static void lock(Lock lock) { lock.lock(); }

    static void clear(Collection<?> all) { all.clear(); }

    static void removeAll(Set<?> all, Collection<?> some) { all.removeAll(some); }

    static void closeField() throws Exception { LegalAdvice.kept.close(); }

    static void close(int a, int b, int c, Writer writer) throws Exception { writer.close(); }

    static void closeAll(List<? extends AutoCloseable> all) throws Exception { for (AutoCloseable each : all) each.close(); }

    static void writeTo(Callable<Writer> made) throws Exception { try (Writer writer = made.call()) { writer.write("elsewhere"); } }
}
