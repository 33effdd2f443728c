/* Threads wait for a mutex that another one holds, or that they have just released, also while they wait for a
   condition. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

static void *work(void *own) {
    int me = own != NULL;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&m);
        while (turn != me) pthread_cond_wait(&turned, &m);
        turn = !me;
        pthread_cond_broadcast(&turned);
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, &m);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
