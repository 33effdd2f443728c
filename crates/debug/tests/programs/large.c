/* Megabytes of memory, a few threads, small changes. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) void mark(void) { __asm__ volatile("" : : : "memory"); }

static void *rest(void *arg) {
    for (;;) pause();
}

int main(int argc, char **argv) {
    size_t size = (size_t)atoi(argv[1]) << 20;
    char *p = malloc(size);
    memset(p, 3, size);
    pthread_t t;
    for (int i = 0; i < 4; i++) pthread_create(&t, NULL, rest, NULL);
    for (int i = 0; i < 1000; i++) {
        for (int k = 0; k < 50; k++) p[(size_t)k * 40961 + i]++;
        mark();
    }
    return 0;
}
