package payment;

/**
 * A payment system: `java payment.Main USERS [ACTIONS] [hurry]`. Of ten users one is gold, two are silver
 * and the rest bronze; bronze users look around 150 times as often as others act. With `hurry` the
 * first user pays before he is activated.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int users = Integer.parseInt(args[0]);
        int actions = args.length > 1 ? Integer.parseInt(args[1]) : 40;
        boolean hurry = args.length > 2 && args[2].equals("hurry");
        TransactionServer server = new TransactionServer();
        Company[] companies = new Company[12];
        for (int i = 0; i < companies.length; i++) {
            companies[i] = new Company("company " + i, i % 3 == 0);
        }
        Proxy proxy = new Proxy(server, companies);
        for (int i = 0; i < users; i++) {
            String name = "user " + i;
            switch (i % 10) {
                case 0:
                    proxy.gold(name, new Script(i, actions, hurry && i == 0));
                    break;
                case 1:
                case 2:
                    proxy.silver(name, new Script(i, actions, false));
                    break;
                default:
                    proxy.bronze(name, new Script(i, actions * 150, false));
                    break;
            }
        }
        long paid = 0;
        for (Company company : companies) {
            paid += company.cents();
        }
        System.out.println(users + " users, " + server.entries() + " entries, " + paid + " cents, "
                + Long.toHexString(server.signature()));
    }
}
