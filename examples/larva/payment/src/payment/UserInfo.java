package payment;

/** A customer, as the proxy and the transaction server see one. */
abstract class UserInfo {
    private final String name;
    private final TransactionServer server;
    private boolean active;
    private boolean listed;

    UserInfo(String name, TransactionServer server) {
        this.name = name;
        this.server = server;
    }

    String name() {
        return name;
    }

    void create() {
        server.note(name, 1);
    }

    void activate() {
        active = true;
        server.note(name, 2);
    }

    void whitelist() {
        listed = false;
        server.note(name, 3);
    }

    void greylist() {
        listed = true;
        server.note(name, 4);
    }

    void blacklist() {
        listed = true;
        server.note(name, 5);
    }

    void pay(Company company, int cents) {
        server.move(name, company, cents);
    }

    void transfer(String other, int cents) {
        server.note(other, cents);
    }

    boolean isActive() {
        return active;
    }

    boolean isListed() {
        return listed;
    }
}
