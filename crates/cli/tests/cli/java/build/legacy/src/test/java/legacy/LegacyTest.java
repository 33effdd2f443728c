package legacy;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.NoSuchElementException;
import org.junit.Test;

public class LegacyTest {
    @Test
    public void keepsItsOptions() {
        assertEquals("legacy", System.getProperty("kept"));
    }

    @Test(expected = NoSuchElementException.class)
    public void expectsAnException() {
        new ArrayDeque<>().removeFirst();
    }

    @Test(expected = UnsupportedOperationException.class)
    public void expectsAnother() {
        Collections.unmodifiableList(Collections.emptyList()).add(null);
    }

    /** Fails the first time, and is run again. */
    @Test
    public void isFlaky() throws Exception {
        try {
            new ArrayDeque<>().removeLast();
        } catch (NoSuchElementException e) {
            assertEquals("run again", false, new File("target/first-time").createNewFile());
        }
    }
}
