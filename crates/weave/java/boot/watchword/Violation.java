package watchword;

/** Thrown where a property is violated, if that was asked for. */
public class Violation extends Error {
    private static final long serialVersionUID = 1;

    public Violation(String message) {
        super(message);
    }
}
