/* A child takes its time between two calls, its parent does not. */
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void acquire(void) { __asm__ volatile(""); }
__attribute__((noinline)) void release(void) { __asm__ volatile(""); }

int main(void) {
    if (fork() == 0) {
        acquire();
        usleep(300000);
        release();
        _exit(0);
    }
    acquire();
    release();
    wait(NULL);
    return 0;
}
