/* A semaphore is posted after it was destroyed. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <stdio.h>

int main(void) {
    sem_t s;
    sem_init(&s, 0, 1);
    sem_wait(&s);
    sem_destroy(&s);
    printf("%d\n", sem_post(&s));
    return 0;
}
