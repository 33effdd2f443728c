/* A closed stream is read by a function that checks sizes. */
#define _FORTIFY_SOURCE 2
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char line[20];
    FILE *f = fopen("/etc/passwd", "r");
    fclose(f);
    fgets(line, argc + 10, f); /* may crash */
    _exit(0);
}
