/* Semaphores are destroyed and initialised again at the same address, by several threads and calls. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t ready, done;

static void *work(void *unused) {
    sem_wait(&ready);
    sem_post(&done);
    return unused;
}

static void once(void) {
    sem_t own;
    pthread_t thread;
    int value;
    struct timespec past = {0, 0};
    sem_init(&own, 0, 1);
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    sem_post(&ready);
    sem_wait(&done);
    pthread_join(thread, NULL);
    sem_wait(&own);
    sem_trywait(&own);
    sem_timedwait(&own, &past);
    sem_getvalue(&own, &value);
    sem_destroy(&own);
    sem_destroy(&ready);
    sem_destroy(&done);
    printf("%d\n", value);
}

int main(void) {
    once();
    once();
    return 0;
}
