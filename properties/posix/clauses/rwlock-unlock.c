/* A lock is given back that nobody holds. */
#include "clause.h"
#include <pthread.h>

int main(int argc, char **argv) {
    pthread_rwlock_t l;
    pthread_rwlock_init(&l, NULL);
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    ON(pthread_rwlock_unlock, pthread_rwlock_unlock(&l))
    END;
}
