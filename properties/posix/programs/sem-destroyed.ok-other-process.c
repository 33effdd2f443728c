/* A semaphore in shared memory is destroyed by one process and initialised again by another one. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    sem_t *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(s, 1, 0);
    sem_destroy(s);
    pid_t child = fork();
    if (child == 0) {
        sem_init(s, 1, 1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    sem_wait(s);
    sem_post(s);
    sem_destroy(s);
    return 0;
}
