package raised;

public class Main {
    static class Mine extends RuntimeException {
        Mine(String text) {
            super(text);
        }
    }

    static void check(int n) {
        if (n < 0) {
            throw new Mine("negative");
        }
        RuntimeException large = new IllegalStateException("large");
        if (n > 9) {
            throw large;
        }
    }

    static void again(int n) {
        try {
            check(n);
        } finally {
            System.out.println("checked " + n);
        }
    }

    public static void main(String[] args) {
        for (int n : new int[] {-1, 10, 5}) {
            try {
                again(n);
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }
        try {
            int[] none = new int[0];
            none[0]++;
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println("index");
        }
    }
}
