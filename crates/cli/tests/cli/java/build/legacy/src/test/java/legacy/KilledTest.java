package legacy;

import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import org.junit.Test;

public class KilledTest {
    @Test
    public void isKilled() throws Exception {
        try {
            new ArrayDeque<>().pop();
        } catch (NoSuchElementException e) {
            new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start();
            Thread.sleep(60_000);
        }
    }
}
