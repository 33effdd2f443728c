/** References name the class that declares a method; selectors name the class it is called on. */
class Inherited {
    static class Base { void send() { } }
    static class Door extends Base { void shut() { } }

    static void captured() {
        Door door = new Door();
        door.shut();
        Runnable send = door::send;
        send.run();
    }

    static void given() {
        Door door = new Door();
        door.shut();
        java.util.function.Consumer<Door> send = Door::send;
        send.accept(door);
    }

    public static void main(String[] args) {
        captured();
        given();
        for (int n = 0; n < 50; n++) new Door().shut();
    }
}
