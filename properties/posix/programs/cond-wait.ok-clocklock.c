/* The mutex was acquired by the newer functions with a clock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec soon;
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_sec += 5;
    printf("%d\n", pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &soon));
    struct timespec past = {0, 0};
    printf("%d\n", pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past) != 0);
    pthread_mutex_unlock(&m);
    return 0;
}
