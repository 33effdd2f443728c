package shop;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.NoSuchElementException;
import org.junit.Test;

public class FirstTest {
    @Test public void keepsItsOptions() {
        assertEquals("yes", System.getProperty("kept"));
    }

    @Test public void swallowsAnException() {
        try { new ArrayList<>().iterator().next(); } catch (NoSuchElementException e) { }
    }

    @Test(expected = NoSuchElementException.class) public void expectsAnException() {
        new ArrayList<>().iterator().next();
    }
}
