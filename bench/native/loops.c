/* What `scripts/bench-native.py` measures events with. Prints nanoseconds per round on standard error. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((noinline)) int event(long key, int n) {
    __asm__ volatile("" ::: "memory");
    return (int)key * 3 + n;
}

/* Whatever follows `event` in the file, so that it is not the last function of the section. */
__attribute__((noinline)) int other(int n) {
    __asm__ volatile("" ::: "memory");
    return n * 7 + 3;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long shared;

/* Threads that compute, allocate and lock now and then. */
static void *worker(void *rounds) {
    volatile unsigned x = 1;
    for (long i = 0; i < (long)rounds; i++) {
        for (int k = 0; k < 2000; k++) x = x * 1664525 + 1013904223;
        char *p = malloc(64 + x % 512);
        p[0] = (char)x;
        pthread_mutex_lock(&lock);
        shared += p[0];
        pthread_mutex_unlock(&lock);
        free(p);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    long n = atol(argv[2]);
    double start = now();
    if (!strcmp(argv[1], "calls"))
        for (long i = 0; i < n; i++) event(i % 16, (int)i);
    if (!strcmp(argv[1], "heap")) {
        void *kept[64] = {0};
        for (long i = 0; i < n; i++) {
            free(kept[i & 63]);
            kept[i & 63] = malloc(16 + (i & 255));
        }
    }
    if (!strcmp(argv[1], "threads")) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, (void *)(n / 4));
        for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    }
    fprintf(stderr, "ns %.1f\n", (now() - start) / n * 1e9);
    return other((int)shared) == 1;
}
