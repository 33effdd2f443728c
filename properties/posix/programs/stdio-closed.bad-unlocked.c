/* A closed stream is used by a function that does not lock it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *f = fopen("/dev/null", "w");
    fclose(f);
    fputs_unlocked("text", f); /* may crash */
    _exit(0);
}
