package payment;

/** Books what it is told, and signs every entry: the work the program is there for. */
final class TransactionServer {
    private long signature = 17;
    private long entries;

    void note(String name, int what) {
        sign(name, what);
    }

    void move(String name, Company company, int cents) {
        company.credit(cents);
        sign(name, cents);
    }

    /** A chain of hashes over the entry; each depends on all before. */
    private void sign(String name, int what) {
        long h = signature ^ what;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < name.length(); i++) {
                h = (h ^ name.charAt(i)) * 0x100000001b3L;
            }
            h ^= h >>> 29;
        }
        signature = h;
        entries++;
    }

    long signature() {
        return signature;
    }

    long entries() {
        return entries;
    }
}
