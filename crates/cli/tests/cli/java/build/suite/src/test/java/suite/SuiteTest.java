package suite;

import java.util.HashSet;
import java.util.NoSuchElementException;
import org.testng.Assert;
import org.testng.annotations.Test;

public class SuiteTest {
    @Test
    public void keepsItsOptions() {
        Assert.assertEquals(System.getProperty("kept"), "suite");
    }

    @Test
    public void expectsAnException() {
        Assert.assertThrows(NoSuchElementException.class, () -> new HashSet<>().iterator().next());
    }

    @Test
    public void swallowsAnException() {
        try {
            new HashSet<>().iterator().next();
        } catch (NoSuchElementException e) {
            // Nothing to do.
        }
    }
}
