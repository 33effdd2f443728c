/* Locks acquired by all functions there are. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec soon;
    int sum = 0;
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_sec += 5;
    sum += pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &soon);
    sum += pthread_rwlock_unlock(&l);
    sum += pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &soon);
    sum += pthread_rwlock_unlock(&l);
    sum += pthread_rwlock_tryrdlock(&l) + pthread_rwlock_unlock(&l);
    sum += pthread_rwlock_trywrlock(&l) + pthread_rwlock_unlock(&l);
    printf("%d\n", sum);
    return 0;
}
