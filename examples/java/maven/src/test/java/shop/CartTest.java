package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CartTest {
    @Test
    public void soldOutItemsGo() {
        Cart cart = new Cart();
        cart.add("apple");
        cart.add("pear");
        cart.dropSoldOut("apple");
        assertEquals(1, cart.size());
    }

    @Test(expected = java.util.ConcurrentModificationException.class)
    public void theBugThatTheTestTakesForGranted() {
        Cart cart = new Cart();
        cart.add("apple");
        cart.add("pear");
        cart.add("plum");
        cart.dropSoldOut("apple");
    }
}
