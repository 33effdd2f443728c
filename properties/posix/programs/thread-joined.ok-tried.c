/* Joining is tried until it works. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *work(void *p) {
    usleep(20000);
    return p;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, work, NULL);
        while (pthread_tryjoin_np(t, NULL) == EBUSY)
            usleep(5000);
    }
    printf("done\n");
    return 0;
}
