package list;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListTest {
    static int takeOne(List<Integer> list) {
        return list.iterator().next();
    }

    @Test
    void keepsItsOptions() {
        assertEquals("list", System.getProperty("kept"));
    }

    @Test
    void expectsAnException() {
        assertThrows(NoSuchElementException.class, () -> takeOne(new ArrayList<>()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void swallowsAnException(int number) {
        try {
            takeOne(new ArrayList<>());
        } catch (NoSuchElementException e) {
            assertEquals(0, number / 3);
        }
    }
}
