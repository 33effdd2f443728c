/* Threads that enter and leave objects, each thread its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {
    int limit;
    unsigned char small;
};

__attribute__((noinline)) int enter(struct object *o, int n) {
    __asm__ volatile("" ::: "memory");
    return (int)(long)o * 3 + n;
}

__attribute__((noinline)) int leave(struct object *o, int n) {
    __asm__ volatile("" ::: "memory");
    return n * 3 - 2;
}

__attribute__((noinline)) int move(struct object *from, struct object *to, int n) {
    __asm__ volatile("" ::: "memory");
    return (int)(from - to) + n;
}

__attribute__((noinline)) int reset(struct object *o) {
    __asm__ volatile("" ::: "memory");
    return (int)(long)o + 7;
}

__attribute__((noinline)) int numbered(int n, long k) {
    __asm__ volatile("" ::: "memory");
    return n + (int)k;
}

/* Whatever follows in the file, so that the others are not the last functions of the section. */
__attribute__((noinline)) long other(long n) {
    __asm__ volatile("" ::: "memory");
    return n * 7 + 3;
}

enum { THREADS = 4, OBJECTS = 6, MANY = 3000 };

static struct object objects[THREADS][OBJECTS], crowd[THREADS][MANY];
static unsigned long seed, steps;

static unsigned below(unsigned long *state, unsigned n) {
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (*state >> 33) % n;
}

static void *work(void *number) {
    long own = (long)number, sum = 0;
    unsigned long state = seed * THREADS + own;
    for (unsigned long i = 0; i < steps; i++) {
        struct object *o = &objects[own][below(&state, OBJECTS)];
        /* Hardly any of these is met again. */
        if (below(&state, 4) == 0) o = &crowd[own][below(&state, MANY)];
        o->limit = (int)below(&state, 5) - 1;
        o->small = (unsigned char)(253 + below(&state, 5));
        if (below(&state, 40) == 0) o = NULL;
        if (below(&state, 40) == 0) o = (struct object *)(16 * (own + 1));
        int n = (int)below(&state, 5) - 1;
        switch (below(&state, 9)) {
        case 0: case 1: case 2: sum += enter(o, n); break;
        case 3: case 4: case 5: sum += leave(o, n); break;
        case 6: sum += move(o, &objects[own][below(&state, OBJECTS)], n); break;
        case 7: sum += reset(o); break;
        default: {
            /* The smallest number is met, too. */
            long k = own || below(&state, 10) ? own * 100 + n : (long)(1ul << 63);
            sum += numbered((int)own * 10 + n, k);
        }
        }
    }
    return (void *)sum;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    seed = strtoul(argv[1], NULL, 10);
    steps = strtoul(argv[2], NULL, 10);
    long threads = strtol(argv[3], NULL, 10), sum = 0;
    /* Thread pointers are used again. */
    for (int round = 0; round < 2; round++) {
        pthread_t all[THREADS];
        for (long i = 0; i < threads; i++) pthread_create(&all[i], NULL, work, (void *)i);
        for (long i = 0; i < threads; i++) {
            void *result;
            pthread_join(all[i], &result);
            sum += (long)result;
        }
        seed += 17;
    }
    return other(sum) == 1;
}
