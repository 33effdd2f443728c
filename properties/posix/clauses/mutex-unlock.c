/* A mutex is given back that nobody holds. */
#include "clause.h"
#include <pthread.h>

int main(int argc, char **argv) {
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    ON(pthread_mutex_unlock, pthread_mutex_unlock(&m))
    END;
}
