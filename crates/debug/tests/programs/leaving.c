/* Ends while a thread of it waits, after one that was born between two checkpoints has ended. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int stop;
__attribute__((noinline)) void mark(long n) { __asm__ volatile("" : : "r"(n) : "memory"); }
static void *waits(void *arg) {
    for (;;) pause();
    return arg;
}
static void *ends(void *arg) {
    while (!stop) usleep(1000);
    return arg;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, waits, NULL);
    usleep(10000);
    mark(1);
    pthread_create(&second, NULL, ends, NULL);
    usleep(10000);
    mark(2);
    stop = 1;
    pthread_join(second, NULL);
    puts("end");
    fflush(stdout);
    exit(0);
}
