/** Two ways to go wrong in one method. */
public class CE9 {
    static class C {
        void login() {}
        void logout() {}
        void query() {}
        void begin() {}
        void commit() {}
        void update() {}
    }
    public static void main(String[] a) {
        C c1 = new C();
        C c2 = new C();
        c1.login();
        c2.begin();
        if (a.length == 0) {
            c1.logout();
            c1.query();
        } else {
            c2.commit();
            c2.update();
        }
    }
}
