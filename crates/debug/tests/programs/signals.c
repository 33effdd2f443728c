/* A fast timer, queued signals with values, a handler on its own stack, faults under control. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile long ticks, values, faults;
static sigjmp_buf env;

__attribute__((noinline)) long step(long n) {
    __asm__ volatile("");
    return n + 1;
}
__attribute__((noinline)) long in_handler(long n) {
    __asm__ volatile("");
    return n + 1;
}
/* Its first instruction may fault. */
__attribute__((naked, noinline)) long peek(long *p) { __asm__("movq (%rdi), %rax\n ret"); }

static void on_alarm(int s) { ticks = in_handler(ticks); }
static void on_value(int s, siginfo_t *i, void *c) { values += i->si_value.sival_int; }
static void on_fault(int s) {
    faults++;
    siglongjmp(env, 1);
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 2000;
    stack_t st = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&st, NULL);
    struct sigaction a = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigaction(SIGALRM, &a, NULL);
    struct sigaction v = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO};
    sigaction(SIGRTMIN, &v, NULL);
    struct sigaction f = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &f, NULL);
    struct itimerval it = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &it, NULL);
    volatile long x = 0;
    for (long i = 0; i < n; i++) {
        x = step(x);
        if (i % 100 == 0) {
            union sigval value = {.sival_int = (int)i};
            sigqueue(getpid(), SIGRTMIN, value);
        }
    }
    while (ticks < 3) usleep(100);
    memset(&it, 0, sizeof it);
    setitimer(ITIMER_REAL, &it, NULL);
    for (int i = 0; i < 5; i++)
        if (sigsetjmp(env, 1) == 0) x += peek((long *)8);
    long there = 42;
    x += peek(&there);
    printf("%ld %ld %ld\n", x, values, faults);
    fflush(stdout);
    if (argc > 2) raise(atoi(argv[2]));
    return 3;
}
