/* A condition is waited for without its mutex. */
#include "clause.h"
#include <pthread.h>

int main(int argc, char **argv) {
    struct timespec limit = soon();
    pthread_mutex_t m;
    pthread_cond_t c;
    pthread_mutex_init(&m, NULL);
    pthread_cond_init(&c, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    alarm(1);
    ON(pthread_cond_wait, pthread_cond_wait(&c, &m))
    ON(pthread_cond_timedwait, pthread_cond_timedwait(&c, &m, &limit))
    ON(pthread_cond_clockwait, pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &limit))
    END;
}
