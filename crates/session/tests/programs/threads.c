// Two threads that count for ever, and a signal that the first one sends itself.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

static volatile long counts[2];
static volatile int got;
static pthread_barrier_t ready;

void on_signal(int signal) {
    got = signal;
}

void tick(long me) {
    counts[me]++;
}

void *count(void *me) {
    pthread_setname_np(pthread_self(), me ? "second" : "first");
    pthread_barrier_wait(&ready);
    for (;;)
        tick((long)me);
}

void reached(void) {
}

int main(void) {
    pthread_t threads[2];
    signal(SIGUSR1, on_signal);
    pthread_barrier_init(&ready, NULL, 3);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, (void *)i);
    pthread_barrier_wait(&ready);
    reached();
    raise(SIGUSR1);
    return got;
}
