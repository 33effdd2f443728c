class Exceptions {
    static int divide(int a, int b) {
        try {
            return a / b;
        } catch (ArithmeticException e) {
            return 0;
        }
    }

    static void cleanup(Runnable r, Object lock) {
        try {
            r.run();
        } finally {
            lock.notify();
        }
    }

    static int nested(int[] a, String s) {
        int n = 0;
        try {
            n = 1;
            try {
                n = a[3];
            } catch (NullPointerException e) {
                n = s.length();
            }
        } catch (RuntimeException e) {
            n = -1;
        }
        return n;
    }

    static int locked(Object o, int x) {
        synchronized (o) {
            return x + 1;
        }
    }

    static void retry(Runnable r) {
        for (int i = 0; ; i++) {
            try {
                r.run();
                return;
            } catch (RuntimeException e) {
                if (i > 3) throw e;
            }
        }
    }

    static int persist(Runnable r, int n) {
        while (true) {
            n++;
            try {
                r.run();
                return n;
            } catch (RuntimeException e) {
                n--;
            }
        }
    }
}
