/* Signals that wait when a checkpoint is taken, others that wait later, and a timer. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

volatile long waits, value, left;

__attribute__((noinline)) void mark(int n) { asm volatile("" ::"r"(n)); }

int main(void) {
    sigset_t all, now;
    siginfo_t info;
    union sigval given = {.sival_int = 42};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec time = {.it_value = {.tv_sec = 1000}};
    timer_t timer;
    sigemptyset(&all);
    for (int i = 0; i < 3; i++) sigaddset(&all, (int[]){SIGUSR1, SIGUSR2, SIGRTMIN + 1}[i]);
    sigprocmask(SIG_BLOCK, &all, NULL);
    raise(SIGUSR1);
    sigqueue(getpid(), SIGRTMIN + 1, given);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &time, NULL);
    mark(1);
    sigpending(&now);
    waits = sigismember(&now, SIGUSR1) + 10 * sigismember(&now, SIGUSR2) +
            100 * sigismember(&now, SIGRTMIN + 1);
    timer_gettime(timer, &time);
    left = time.it_value.tv_sec;
    if (waits == 101) {
        sigwaitinfo(&all, &info);
        sigwaitinfo(&all, &info);
        value = info.si_value.sival_int;
    }
    kill(getpid(), SIGUSR2);
    time.it_value.tv_sec = 5000;
    timer_settime(timer, 0, &time, NULL);
    mark(2);
    return 3;
}
