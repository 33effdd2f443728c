import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Mocks and spies of classes whose objects properties talk about. */
public class Mocks {
    static class Box implements Iterable<String>, java.io.Serializable {
        final List<String> all = new ArrayList<>(List.of("a", "b"));
        public Iterator<String> iterator() { return all.iterator(); }
        int size() { return all.size(); }
        Function<List<String>, Iterator<String>> way() { return List::iterator; }
    }

    static final class Source extends InputStream {
        @Override public int read() { return 7; }
    }

    static void print(Object... values) { System.out.println(List.of(values)); }

    public static void main(String[] args) throws Exception {
        ArrayList<String> list = mock(ArrayList.class);
        when(list.get(0)).thenReturn("mocked");
        print(list.get(0), list.size());

        List<String> spied = spy(new ArrayList<>(List.of("x", "y")));
        spied.add("z");
        for (String each : spied) print(each);
        verify(spied).add("z");

        Box box = spy(new Box());
        doReturn(9).when(box).size();
        print(box.size(), box.iterator().next(), new Box().size());
        for (String each : box) print(each);
        Iterator<String> referred = box.way().apply(box.all);
        print(referred.next());

        Source source = mock(Source.class);
        when(source.read()).thenReturn(1, 2, -1);
        print(source.read(), source.read(), source.read(), new Source().read());
        InputStream bytes = spy(new ByteArrayInputStream(new byte[] {4, 5}));
        print(bytes.read(), bytes.read(), bytes.read());
        bytes.close();

        Iterator<String> iterator = mock(Iterator.class);
        when(iterator.hasNext()).thenReturn(true, false);
        when(iterator.next()).thenReturn("only");
        while (iterator.hasNext()) print(iterator.next());

        Map<String, Integer> map = spy(new HashMap<>());
        map.put("k", 1);
        for (Map.Entry<String, Integer> each : map.entrySet()) print(each.getKey(), each.getValue());

        // Classes that were transformed again are still watched.
        List<Integer> numbers = new ArrayList<>(List.of(1, 2));
        Iterator<Integer> stale = numbers.iterator();
        numbers.add(3);
        try {
            stale.next();
        } catch (ConcurrentModificationException e) {
            print("stale");
        }
    }
}
