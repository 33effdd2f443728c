/* A read-write lock is released that nobody holds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    printf("released\n");
    fflush(stdout);
    alarm(5); /* the second call may do anything */
    pthread_rwlock_unlock(&l);
    _exit(0);
}
