/* Fibers whose stacks lie beside each other, resumed by turns, in the middle of calls. With
   `threads` they go on on a second thread, which then ends; with `jumps` they take turns by
   `longjmp`. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { FIBERS = 4, ROUNDS = 10, SIZE = 32 << 10 };

static char stacks[FIBERS][SIZE] __attribute__((aligned(16)));
static ucontext_t fibers[FIBERS], back;
static jmp_buf places[FIBERS], driver;
static int sum, jumps, begun[FIBERS];

static void yield(int me) {
    ucontext_t *volatile from = &fibers[me];
    if (!jumps)
        swapcontext(from, &back);
    else if (!_setjmp(places[me]))
        _longjmp(driver, 1);
}

static void resume(int who) {
    if (!jumps)
        swapcontext(&back, &fibers[who]);
    else if (!_setjmp(driver)) {
        if (!begun[who]++)
            setcontext(&fibers[who]);
        _longjmp(places[who], 1);
    }
}

__attribute__((noinline)) int inner(int me, int round) {
    yield(me);
    sum += round;
    return me * 100 + round;
}

__attribute__((noinline)) int outer(int me, int round) {
    int result = inner(me, round);
    yield(me);
    return result + 1;
}

static void body(int me) {
    for (int round = 0; round < ROUNDS; round++)
        outer(me, round);
    for (;;)
        yield(me);
}

static void *drive(void *p) {
    for (int turn = 0; turn < ROUNDS; turn++)
        for (int i = 0; i < FIBERS; i++)
            resume(i);
    return p;
}

int main(int argc, char **argv) {
    jumps = argc > 1 && !strcmp(argv[1], "jumps");
    for (int i = 0; i < FIBERS; i++) {
        getcontext(&fibers[i]);
        fibers[i].uc_stack.ss_sp = stacks[i];
        fibers[i].uc_stack.ss_size = SIZE;
        makecontext(&fibers[i], (void (*)(void))body, 1, i);
    }
    drive(NULL);
    if (argc > 1 && !jumps) {
        pthread_t t;
        pthread_create(&t, NULL, drive, NULL);
        pthread_join(t, NULL);
    } else {
        drive(NULL);
    }
    drive(NULL);
    printf("%d\n", sum);
    return 0;
}
