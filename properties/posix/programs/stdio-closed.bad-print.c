/* A closed stream is printed to. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    FILE *f = fopen("/dev/null", "w");
    fclose(f);
    printf("closed\n");
    fflush(stdout);
    fprintf(f, "%d %s", argc, argv[0]); /* may crash */
    _exit(0);
}
