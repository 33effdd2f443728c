package shop;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A cart whose cleaning up is wrong in a way its own test does not notice. */
public class Cart {
    private final List<String> items = new ArrayList<>();

    public void add(String item) {
        items.add(item);
    }

    /** Removes the first item that is sold out. */
    public boolean dropSoldOut(String item) {
        Iterator<String> i = items.iterator();
        while (i.hasNext()) {
            if (i.next().equals(item)) {
                items.remove(item);
                if (items.isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    public int size() {
        return items.size();
    }
}
