package payment;

final class BronzeUser extends UserInfo {
    BronzeUser(String name, TransactionServer server) {
        super(name, server);
    }
}
