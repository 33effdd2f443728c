/* Several readers at a time, and one that reads twice. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *look(void *p) {
    for (int i = 0; i < 10; i++) {
        pthread_rwlock_rdlock(&l);
        pthread_rwlock_rdlock(&l);
        pthread_rwlock_unlock(&l);
        pthread_rwlock_unlock(&l);
    }
    return p;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, look, NULL);
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("done\n");
    return 0;
}
