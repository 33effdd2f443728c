/* A stream is closed twice. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *f = fopen("/dev/null", "w");
    fclose(f);
    printf("closed\n");
    fflush(stdout);
    fclose(f); /* may abort */
    _exit(0);
}
