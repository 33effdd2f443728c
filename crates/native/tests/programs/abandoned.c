/* Fibers on one stack, one after the other; every other one is given up in the middle of a call. */
#define _GNU_SOURCE
#include <stdio.h>
#include <ucontext.h>

enum { FIBERS = 100, SIZE = 64 << 10 };

static char stack[SIZE] __attribute__((aligned(16)));
static ucontext_t fiber, back;
static int ended;

__attribute__((noinline)) int other(int n) {
    __asm__ volatile("");
    return n + 1;
}

__attribute__((noinline)) int left(int n) {
    int more = other(n);
    if (n % 2)
        swapcontext(&fiber, &back);
    return more;
}

static void body(int n) {
    left(n);
    ended++;
    swapcontext(&fiber, &back);
}

int main(void) {
    for (int i = 0; i < FIBERS; i++) {
        getcontext(&fiber);
        fiber.uc_stack.ss_sp = stack;
        fiber.uc_stack.ss_size = SIZE;
        makecontext(&fiber, (void (*)(void))body, 1, i);
        swapcontext(&back, &fiber);
    }
    printf("%d\n", ended);
    return 0;
}
