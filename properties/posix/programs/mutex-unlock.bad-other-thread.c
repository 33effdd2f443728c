/* A mutex is unlocked by a thread that has not locked it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *release(void *p) {
    pthread_mutex_unlock(&m);
    return p;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, release, NULL);
    pthread_join(t, NULL);
    printf("done\n");
    return 0;
}
