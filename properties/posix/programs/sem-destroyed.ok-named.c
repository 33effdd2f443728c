/* A semaphore that was opened twice by its name is used after it was closed once, and opened again. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char name[40];
    snprintf(name, sizeof name, "/named-%d", (int)getpid());
    sem_t *one = sem_open(name, O_CREAT, 0600, 1);
    sem_t *two = sem_open(name, 0);
    if (one == SEM_FAILED || two == SEM_FAILED) return 0;
    sem_close(one);
    sem_wait(two);
    sem_post(two);
    sem_close(two);
    one = sem_open(name, 0);
    sem_wait(one);
    sem_close(one);
    sem_unlink(name);
    return 0;
}
