/** Clara's loop: what one round may skip, all rounds may not. */
public class Loop {
    static class C {
        void a() {}
        void b() {}
    }
    public static void main(String[] args) {
        C o = new C();
        for (int i = 0; i < 5; i++) {
            o.a();
            o.b();
        }
    }
}
