// Gets signals while it holds a lock, and when it does not.
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t got;

static void count(int signal) { got += signal == SIGUSR1; }

__attribute__((noinline)) void lock(int id) { __asm__ volatile("" ::"r"(id)); }
__attribute__((noinline)) void unlock(int id) { __asm__ volatile("" ::"r"(id)); }

int main(void) {
    signal(SIGUSR1, count);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR1);
    lock(1);
    unlock(1);
    raise(SIGUSR2);
    lock(2);
    raise(SIGUSR1);
    unlock(2);
    printf("%d\n", (int)got);
    return 0;
}
