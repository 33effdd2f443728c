package payment;

/** Serves users one after the other; what kind of user it is decides what the menu offers. */
final class Proxy {
    private final TransactionServer server;
    private final Company[] companies;
    private int shown;

    Proxy(TransactionServer server, Company[] companies) {
        this.server = server;
        this.companies = companies;
    }

    void gold(String name, Script script) {
        GoldUser user = new GoldUser(name, server);
        user.create();
        while (script.more()) {
            switch (script.next()) {
                case Script.ACTIVATE:
                    user.activate();
                    break;
                case Script.BLACKLIST:
                    user.blacklist();
                    menuWithoutPayments(script);
                    break;
                case Script.GREYLIST:
                    user.greylist();
                    for (int n = script.below(2); n > 0; n--) {
                        user.pay(companies[script.below(companies.length)], 100 + script.below(900));
                    }
                    break;
                default:
                    user.whitelist();
                    for (int n = script.below(3); n > 0; n--) {
                        user.pay(companies[script.below(companies.length)], 500 + script.below(9000));
                    }
                    break;
            }
        }
    }

    void silver(String name, Script script) {
        SilverUser user = new SilverUser(name, server);
        user.create();
        while (script.more()) {
            switch (script.next()) {
                case Script.ACTIVATE:
                    user.activate();
                    break;
                case Script.BLACKLIST:
                    user.blacklist();
                    menuWithoutPayments(script);
                    break;
                case Script.GREYLIST:
                    user.greylist();
                    break;
                default:
                    user.whitelist();
                    for (int n = script.below(2); n > 0; n--) {
                        user.pay(companies[script.below(companies.length)], 100 + script.below(400));
                    }
                    break;
            }
        }
    }

    /** Bronze users may look around; they neither pay nor are they listed. */
    void bronze(String name, Script script) {
        BronzeUser user = new BronzeUser(name, server);
        user.create();
        while (script.more()) {
            switch (script.next()) {
                case Script.ACTIVATE:
                    user.activate();
                    break;
                default:
                    user.whitelist();
                    break;
            }
        }
    }

    private void menuWithoutPayments(Script script) {
        shown += script.below(4);
    }

    int shown() {
        return shown;
    }
}
