package terms;

import java.io.File;

public class Main {
    static class Node {
        Node next;
        private String label;
        Node(String label) { this.label = label; }
        String label() { return label; }
    }

    static final Node ROOT = new Node("root");
    int depth = 2;

    void visit(Node node, int level) {
        int twice = 2 * level;
        if (twice > 0) {
            String inner = node.label() + twice;
            touch(inner);
        }
    }

    void touch(String s) { System.out.println(s); }

    public static void main(String[] args) {
        Main m = new Main();
        Node n = new Node("leaf");
        n.next = ROOT;
        m.visit(n, 3);
        System.out.println(new File("x/y").getName());
    }
}
