/** A menu through which users deposit, transfer and look until they delete their account; none withdraws. */
class Menu {
    static void serve(int[] choices) {
        User user = new User();
        for (int choice : choices) {
            switch (choice) {
                case 0:
                    user.deposit(10);
                    break;
                case 1:
                    user.transfer(5);
                    break;
                default:
                    user.view();
            }
        }
        user.delete();
    }

    public static void main(String[] args) {
        serve(new int[] {0, 2, 1});
        serve(new int[0]);
    }
}

class User {
    private int balance;

    void deposit(int amount) {
        balance += amount;
    }

    void withdraw(int amount) {
        balance -= amount;
    }

    void transfer(int amount) {
        balance -= amount;
    }

    void view() {
        System.out.println(balance);
    }

    void delete() {
        balance = 0;
    }
}
