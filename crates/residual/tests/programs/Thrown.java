import java.util.concurrent.*;

/** An exception that the JDK catches and hands to somebody else. */
public class Thrown {
    static class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        void open() { }

        void shut() { }
    }

    static Object fail() {
        Failure failure = new Failure();
        failure.open();
        throw failure;
    }

    public static void main(String[] args) throws InterruptedException {
        FutureTask<Object> task = new FutureTask<>(Thrown::fail);
        task.run();
        try {
            task.get();
        } catch (ExecutionException e) {
            ((Failure) e.getCause()).shut();
            ((Failure) e.getCause()).shut();
        }
    }
}
