/* Producer and consumer, and a recursive mutex. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int filled;

static void *produce(void *p) {
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&m);
        filled++;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return p;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, produce, NULL);
    int taken = 0;
    while (taken < 20) {
        pthread_mutex_lock(&m);
        while (filled == 0)
            pthread_cond_wait(&c, &m);
        taken += filled;
        filled = 0;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    printf("%d\n", taken);
    return 0;
}
