/** Users are on the white list before they are on the grey one, where they transfer. */
class Transfers {
    static void greylisted(int times) {
        User user = new User();
        user.whitelist();
        user.greylist();
        for (int time = 0; time < times; time++) {
            user.transfer();
        }
    }

    public static void main(String[] args) {
        greylisted(0);
        greylisted(4);
    }
}

class User {
    private int transfers;

    void greylist() {
        transfers = 0;
    }

    void whitelist() {
        transfers = 0;
    }

    void transfer() {
        transfers++;
    }

    void delete() {}

    void archive() {}
}
