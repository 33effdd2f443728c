/* What the programs of this folder share: each is told a function and calls it on an object in a wrong state. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The status of a program that does not know a function. */
#define UNKNOWN 9

/* Calls a function, if it is the one that was asked for. */
#define ON(name, ...)                                                                               \
    if (strcmp(argv[1], #name) == 0) {                                                              \
        __VA_ARGS__;                                                                                \
        _exit(0);                                                                                   \
    }

#define END                                                                                         \
    fprintf(stderr, "%s is not known\n", argv[1]);                                                  \
    _exit(UNKNOWN)

/* Soon: calls that would wait for ever wait until then, or until a signal ends the program. */
static inline struct timespec soon(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_nsec = (now.tv_nsec + 50000000) % 1000000000;
    return now;
}
