/** Events of constructors: nothing is bound before an object is there. */
class Made {
    void begin() { }

    void end() { }

    static class Below extends Made {
        Below() {
            super();
        }
    }

    public static void main(String[] args) {
        Made made = new Made();
        made.begin();
        made.end();
        Made below = new Below();
        below.begin();
    }
}
