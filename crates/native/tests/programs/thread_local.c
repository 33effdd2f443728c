/* A variable that every thread has for itself. */
#include <pthread.h>
#include <stdio.h>

__thread int mine = 1;

static void *work(void *by) {
    for (int i = 0; i < 3; i++) mine += (int)(long)by;
    return NULL;
}

int main(void) {
    mine = 5;
    for (long by = 10; by <= 20; by += 10) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, (void *)by);
        pthread_join(thread, NULL);
    }
    mine = 7;
    printf("%d\n", mine);
    return 0;
}
