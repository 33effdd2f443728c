package shop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import org.junit.Test;

public class SecondTest {
    @Test public void swallowsAnother() {
        List<Integer> list = new ArrayList<>(Arrays.asList(1));
        Iterator<Integer> stale = list.iterator();
        list.add(2);
        try { stale.next(); } catch (ConcurrentModificationException e) { }
    }
}
