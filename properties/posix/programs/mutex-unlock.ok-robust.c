/* The owner of a robust mutex has ended: the next one is told, and holds it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m;
static void *leave(void *p) {
    pthread_mutex_lock(&m);
    return p;
}

int main(void) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    pthread_t t;
    pthread_create(&t, NULL, leave, NULL);
    pthread_join(t, NULL);
    printf("%d\n", pthread_mutex_lock(&m) == EOWNERDEAD);
    pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
