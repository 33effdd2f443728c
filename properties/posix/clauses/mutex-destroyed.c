/* Functions on a destroyed mutex. */
#include "clause.h"
#include <pthread.h>

int main(int argc, char **argv) {
    struct timespec limit = soon();
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    pthread_mutex_destroy(&m);
    ON(pthread_mutex_lock, pthread_mutex_lock(&m))
    ON(pthread_mutex_trylock, pthread_mutex_trylock(&m))
    ON(pthread_mutex_timedlock, pthread_mutex_timedlock(&m, &limit))
    ON(pthread_mutex_clocklock, pthread_mutex_clocklock(&m, CLOCK_REALTIME, &limit))
    ON(pthread_mutex_unlock, pthread_mutex_unlock(&m))
    END;
}
