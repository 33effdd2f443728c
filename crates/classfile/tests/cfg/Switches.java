class Switches {
    static int dense(int x) {
        switch (x) {
            case 1: return 10;
            case 2:
            case 3: x++;
            case 4: break;
            default: x = 0;
        }
        return x;
    }

    static boolean sparse(int x) {
        switch (x) {
            case -100: return true;
            case 5000: return x > 0;
        }
        return false;
    }
}
