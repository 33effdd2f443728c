/* Several threads call `tick` many times. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long total;

__attribute__((noinline)) int tick(int who, long n) {
    __atomic_fetch_add(&total, n, __ATOMIC_RELAXED);
    return who;
}

static int calls;

static void *work(void *arg) {
    int who = (int)(long)arg;
    for (int i = 0; i < calls; i++)
        if (tick(who, i) != who) abort();
    return NULL;
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    calls = argc > 2 ? atoi(argv[2]) : 100;
    pthread_t *t = calloc(threads, sizeof *t);
    for (int i = 0; i < threads; i++) pthread_create(&t[i], NULL, work, (void *)(long)i);
    for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
    printf("total %ld\n", total);
    return 7;
}
