/* A thread is joined after it was detached. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *work(void *p) {
    sleep(1);
    return p;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    printf("%d\n", pthread_join(t, NULL) != 0);
    return 0;
}
