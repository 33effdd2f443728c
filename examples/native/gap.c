// Calls a function that does nothing, again and again, with work of a known length in between: what an
// event costs depends on how often it happens. Prints how long a round took.
//
//   cc -g -O0 gap.c -o gap
//   ./gap 300 500                                   300 rounds, 500 microseconds of work each
//   watchword run -p gap.ww -- ./gap 300 500

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

__attribute__((noinline)) void nothing(int n) {
    __asm__ volatile("" : : "r"(n));
}

static void work(double microseconds) {
    double end = now() + microseconds;
    while (now() < end) {
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    double gap = argc > 2 ? atof(argv[2]) : 500;
    double begun = now();
    for (int i = 0; i < rounds; i++) {
        nothing(i);
        work(gap);
    }
    double took = (now() - begun) / rounds;
    printf("%.0f us of work, %.0f us per round: %.2f times as long\n", gap, took, took / gap);
    return 0;
}
