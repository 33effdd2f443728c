/* Functions that give back values through pointers, and calls of the C library, which has no debug
   information. What a monitor should have seen is printed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct pair { int a, b; };

int total;

__attribute__((noinline)) int fill(struct pair *out, int by, struct pair copy) {
    out->a += by;
    out->b = copy.a;
    copy.a = 99;
    by = -1;
    total += 7;
    __asm__ volatile("" : : "m"(copy), "m"(by));
    return -3;
}

static void *idle(void *p) { return p; }

int main(void) {
    int by = 1000; /* the caller's variable of the same name is not the parameter */
    struct pair pair = {10, 20}, copy = {30, 40};
    fill(&pair, 5, copy);
    printf("pair %d %d %d\n", pair.a, pair.b, by);

    void *memory = (void *)1;
    int failed = posix_memalign(&memory, 64, 100);
    printf("memory %d %p\n", failed, memory);

    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    printf("thread %lu\n", (unsigned long)thread);
    pthread_join(thread, NULL);

    /* Only the lower half of the register is the descriptor. */
    int (*close_long)(long) = (int (*)(long))close;
    int result = close_long(0x12345678000003e7);
    printf("close %d\n", result);
    free(memory);
    return 0;
}
