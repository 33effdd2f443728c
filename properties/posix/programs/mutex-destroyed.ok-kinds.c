/* Mutexes of all kinds, destroyed and initialised again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    pthread_mutex_t m;
    for (int i = 0; i < 3; i++) {
        pthread_mutexattr_t a;
        pthread_mutexattr_init(&a);
        pthread_mutexattr_settype(&a, kinds[i]);
        pthread_mutex_init(&m, &a);
        pthread_mutex_lock(&m);
        if (kinds[i] == PTHREAD_MUTEX_RECURSIVE) {
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
        }
        pthread_mutex_unlock(&m);
        printf("%d\n", pthread_mutex_destroy(&m));
    }
    return 0;
}
