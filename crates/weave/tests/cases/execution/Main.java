package execution;

public class Main {
    static class Base {
        int x;
        Base(int x) { this.x = x; }
    }

    static class Account extends Base {
        Account(int start) {
            super(start > 0 ? start : -start);
            if (start == 13) throw new IllegalStateException("unlucky");
            start = 99;
        }
        int withdraw(int amount, long fee, String why) {
            int old = x;
            amount += (int) fee;            // the parameters change
            why = why + "!";
            fee = -1;
            for (int i = 0; i < 2; i++) {
                if (amount > x) throw new RuntimeException(why);
                x -= amount;
            }
            return old - x;
        }
        synchronized void locked() { System.out.println("locked"); }
        static synchronized int both(int a) { try { return a / (a - 1); } finally { a = 7; } }
        void loop() { do { x--; } while (x > 0); }
    }

    public static void main(String[] args) {
        Account a = new Account(-100);
        System.out.println(a.withdraw(10, 5L, "rent"));
        try {
            a.withdraw(50, 1L, "car");
        } catch (RuntimeException e) {
            System.out.println(e.getMessage());
        }
        try {
            new Account(13);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        a.locked();
        System.out.println(Account.both(3));
        try {
            Account.both(1);
        } catch (ArithmeticException e) {
            System.out.println("divided");
        }
        a.loop();
    }
}
