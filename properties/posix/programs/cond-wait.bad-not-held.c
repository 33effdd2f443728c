/* A thread waits for a condition with a mutex that it does not hold. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec past = {0, 0};
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    printf("%d\n", pthread_cond_timedwait(&c, &m, &past) != 0);
    return 0;
}
