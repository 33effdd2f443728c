/* Local mutexes at the same place, each initialised without a call. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static __attribute__((noinline)) int once(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int result = pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    return result;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += once();
    printf("%d\n", sum);
    return 0;
}
