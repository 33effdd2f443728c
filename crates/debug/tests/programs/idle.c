/* Threads that work and sleep until told to end; for attaching. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t done;
volatile long beats;

__attribute__((noinline)) void beat(long by) { __atomic_fetch_add(&beats, by, __ATOMIC_RELAXED); }

static void *work(void *arg) {
    while (!done) {
        beat(1);
        usleep(200);
    }
    return NULL;
}
static void stop(int s) { done = 1; }

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 3;
    signal(SIGTERM, stop);
    pthread_t t[64];
    for (int i = 0; i < threads; i++) pthread_create(&t[i], NULL, work, NULL);
    printf("ready\n");
    fflush(stdout);
    for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
    printf("beats %s\n", beats > 0 ? "some" : "none");
    return 4;
}
