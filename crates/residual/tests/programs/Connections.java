/** A connection must not be written to after it was closed, unless it was opened again. */
public class Connections {
    static class Connection {
        void open() {}
        void close() {}
        void write() {}
    }
    /** Only the last close and the write matter. */
    static void one() {
        Connection c = new Connection();
        c.write();
        c.close();
        c.open();
        c.write();
        c.close();
        c.close();
        c.write();
    }
    static void two() {
        Connection c1 = new Connection();
        Connection c2 = new Connection();
        c1.close();
        c2.write();
    }
    public static void main(String[] args) {
        one();
        two();
    }
}
