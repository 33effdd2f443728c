/* A function whose first instructions are interrupted by a signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((naked, noinline)) int wanted(int n) {
    __asm__("movl %edi, %eax\n addl $1, %eax\n addl $2, %eax\n ret");
}

__attribute__((noinline)) void held(void) { __asm__ volatile(""); }
__attribute__((noinline)) void ready(void) { __asm__ volatile(""); }

static void on_signal(int signal) { held(); }

int main(int argc, char **argv) {
    stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&own, NULL);
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = argc > 1 ? SA_ONSTACK : 0};
    sigaction(SIGUSR1, &a, NULL);
    int sum = wanted(1);
    ready();
    sum += wanted(2);
    return sum;
}
