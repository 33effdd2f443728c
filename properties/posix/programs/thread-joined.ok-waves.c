/* Waves of threads, which get the same handles again and again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void *work(void *p) { return p; }

int main(void) {
    for (int wave = 0; wave < 6; wave++) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, work, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    }
    printf("done\n");
    return 0;
}
