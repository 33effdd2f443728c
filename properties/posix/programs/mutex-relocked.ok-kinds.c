/* Mutexes that may be locked again, or say that they may not; one that is tried again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    int kinds[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    for (int i = 0; i < 2; i++) {
        pthread_mutexattr_t kind;
        pthread_mutex_t m;
        pthread_mutexattr_init(&kind);
        pthread_mutexattr_settype(&kind, kinds[i]);
        pthread_mutex_init(&m, &kind);
        pthread_mutex_lock(&m);
        if (pthread_mutex_lock(&m) == 0) pthread_mutex_unlock(&m);
        pthread_mutex_unlock(&m);
        pthread_mutex_destroy(&m);
    }
    pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&normal);
    printf("%d\n", pthread_mutex_trylock(&normal) != 0);
    pthread_mutex_unlock(&normal);
    return 0;
}
