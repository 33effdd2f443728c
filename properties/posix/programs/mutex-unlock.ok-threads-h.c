/* Mutexes of <threads.h>, taken by turns. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static mtx_t m;
static int sum;
static int add(void *p) {
    for (int i = 0; i < 10; i++) {
        mtx_lock(&m);
        sum++;
        mtx_unlock(&m);
    }
    (void)p;
    return 0;
}

int main(void) {
    thrd_t t[3];
    mtx_init(&m, mtx_plain);
    for (int i = 0; i < 3; i++)
        thrd_create(&t[i], add, NULL);
    for (int i = 0; i < 3; i++)
        thrd_join(t[i], NULL);
    printf("%d\n", sum);
    mtx_destroy(&m);
    return 0;
}
