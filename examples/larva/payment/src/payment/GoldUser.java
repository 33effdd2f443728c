package payment;

final class GoldUser extends UserInfo {
    GoldUser(String name, TransactionServer server) {
        super(name, server);
    }
}
