/* longjmp over traced frames, then the same call again. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;

__attribute__((noinline)) int thrower(int n) {
    if (n & 1) longjmp(env, n);
    return n;
}
__attribute__((noinline)) int outer(int n) {
    int r = thrower(n);
    __asm__ volatile("");
    return r + 1;
}
__attribute__((noinline)) int other(int n) {
    __asm__ volatile("");
    return n + 2;
}
int (*volatile functions[2])(int) = {outer, other};

int main(int argc, char **argv) {
    volatile int sum = 0, jumps = 0;
    for (volatile int i = 0; i < 10; i++) {
        if (setjmp(env) == 0)
            sum += outer(i);
        else
            jumps++;
    }
    /* One call site, different functions: told apart only by noticing the jump. */
    for (volatile int i = 0; argc > 1 && i < 4; i++) {
        if (setjmp(env) == 0)
            sum += functions[i & 1](1);
        else
            jumps++;
    }
    printf("%d %d\n", sum, jumps);
    return 0;
}
