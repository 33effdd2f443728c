/* Counts to a number, in one of two variables. */
#include <stdlib.h>

volatile long written, beside;

__attribute__((noinline)) void ready(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
    long most = atol(argv[1]);
    ready();
    for (long i = 1; i <= most; i++) {
        if (i % 3) written = i;
        else beside = i;
    }
    return 0;
}
