package payment;

final class SilverUser extends UserInfo {
    SilverUser(String name, TransactionServer server) {
        super(name, server);
    }
}
