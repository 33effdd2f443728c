/* A thread waits for a mutex that it holds itself; a signal ends the program. */
#include "clause.h"
#include <pthread.h>

int main(int argc, char **argv) {
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    alarm(1);
    ON(pthread_mutex_lock, pthread_mutex_lock(&m))
    END;
}
