/* What threads freed, in destructors of thread-specific data too, the C library frees once more when they end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key;
static void destroy(void *p) {
    for (int i = 0; i < 20; i++)
        free(malloc(24 + i));
    free(p);
}

static void *work(void *p) {
    void *kept[30];
    pthread_setspecific(key, malloc(40));
    for (int i = 0; i < 30; i++)
        kept[i] = malloc(16 * i);
    for (int i = 0; i < 30; i++)
        free(kept[i]);
    return p;
}

int main(void) {
    pthread_key_create(&key, destroy);
    for (int wave = 0; wave < 4; wave++) {
        pthread_t t[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, work, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
    }
    printf("done\n");
    return 0;
}
