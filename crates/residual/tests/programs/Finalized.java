import java.util.*;

/** The VM has objects whose methods have returned. */
class Finalized {
    static volatile boolean done;

    static class Last implements Iterator<Object> {
        @Override
        public boolean hasNext() {
            return true;
        }

        @Override
        public Object next() {
            return "x";
        }

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            Iterator<Object> me = this;
            me.next();
            done = true;
        }
    }

    static void ask() {
        Last it = new Last();
        it.hasNext();
    }

    static Last made() {
        return new Last();
    }

    static void askMade() {
        Iterator<Object> it = made();
        it.hasNext();
    }

    @SuppressWarnings({"deprecation", "removal"})
    public static void main(String[] args) {
        ask();
        askMade();
        for (int tries = 0; tries < 100 && !done; tries++) {
            System.gc();
            System.runFinalization();
        }
        System.out.println("done");
    }
}
