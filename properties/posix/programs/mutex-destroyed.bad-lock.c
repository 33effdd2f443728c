/* A mutex is locked after it was destroyed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    printf("%d\n", pthread_mutex_trylock(&m) != 0);
    return 0;
}
