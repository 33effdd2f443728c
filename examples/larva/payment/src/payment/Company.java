package payment;

/** Somebody who is paid. */
final class Company {
    private final String name;
    private final boolean whitelisted;
    private long cents;

    Company(String name, boolean whitelisted) {
        this.name = name;
        this.whitelisted = whitelisted;
    }

    boolean isWhitelisted() {
        return whitelisted;
    }

    void credit(int amount) {
        cents += amount;
    }

    long cents() {
        return cents;
    }

    @Override
    public String toString() {
        return name;
    }
}
