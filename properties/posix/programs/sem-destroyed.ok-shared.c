/* Two processes share semaphores in memory that is mapped anew, where one of them initialises what the other
   one uses. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    void *at = NULL;
    for (int i = 0; i < 2; i++) {
        int flags = MAP_SHARED | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);
        sem_t *s = mmap(at, 4096, PROT_READ | PROT_WRITE, flags, -1, 0);
        at = s;
        pid_t child = fork();
        if (child == 0) {
            sem_init(s, 1, 1);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        sem_wait(s);
        sem_post(s);
        sem_destroy(s);
        munmap(s, 4096);
    }
    return 0;
}
