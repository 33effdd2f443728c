class Loops {
    static int nested(int n, int[] a) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (a[j] == i) continue;
                sum += j;
            }
            if (sum > 100) break;
        }
        return sum;
    }

    static void twoInARow(Runnable r, int n) {
        while (n > 0) n--;
        do r.run(); while (n++ < 5);
    }

    static int forever(int n) {
        while (true) {
            if (n-- == 0) return 1;
        }
    }
}
