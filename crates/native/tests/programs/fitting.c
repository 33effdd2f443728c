/* Calls with small numbers of all widths, and objects that belong to a thread, to nobody, or cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct object {
    int owner;
    signed char tiny;
    unsigned short small;
    long wide;
};

__attribute__((noinline)) long taken(struct object *o, int a, long b) {
    __asm__ volatile("" ::: "memory");
    return (long)o + a * b;
}

__attribute__((noinline)) int given(struct object *o, short c, unsigned char d) {
    __asm__ volatile("" ::: "memory");
    return c - d;
}

/* Whatever follows in the file, so that `given` is not the last function of the section. */
__attribute__((noinline)) long other(long n) {
    __asm__ volatile("" ::: "memory");
    return n * 7 + 3;
}

static unsigned long state;

static unsigned below(unsigned n) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (state >> 33) % n;
}

int main(int argc, char **argv) {
    static struct object objects[4];
    if (argc < 2)
        return 2;
    state = strtoul(argv[1], NULL, 10);
    int self = (int)syscall(SYS_gettid);
    long sum = 0;
    for (int i = 0; i < 150; i++) {
        struct object *o = &objects[below(4)];
        o->owner = below(2) ? 0 : self + (int)below(2);
        o->tiny = (signed char)(below(5) - 2);
        o->small = (unsigned short)(65533 + below(5));
        o->wide = (long)below(5) - 2;
        if (below(10) == 0)
            o = (struct object *)16;
        if (below(2))
            sum += taken(o, (int)below(5) - 2, (long)below(5) - 2);
        else
            sum += given(o, (short)(below(5) - 2), (unsigned char)(254 + below(4)));
    }
    return other(sum) == 1;
}
