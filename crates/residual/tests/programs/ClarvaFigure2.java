// The program of Figure 2 of “Control-Flow Residual Analysis for Symbolic Automata”, for the property of
// its Figure 1: a file is closed or written in a loop, opened, closed, opened, and used by a method.
class ClarvaFigure2 {
    static class File {
        void open() {}

        void close() {}

        void read() {}

        void write() {}

        void lookAhead() {}
    }

    static void use(File file, int times) {
        for (int time = 0; time < times; time++) {
            if (time % 3 == 0) {
                file.write();
            } else {
                file.read();
            }
        }
    }

    static void run(int times) {
        File file = new File();
        file.lookAhead();
        for (int time = 0; time < times; time++) {
            if (time % 2 == 0) {
                file.close();
            } else {
                file.write();
            }
        }
        file.open();
        file.close();
        file.open();
        use(file, times);
    }

    static void onlyOpened() {
        File file = new File();
        file.open();
        file.lookAhead();
    }

    public static void main(String[] args) {
        run(0);
        run(5);
        onlyOpened();
    }
}
