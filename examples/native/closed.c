// A program that reads from a stream after closing it, and forgets to close another one.
//
//   cc -g -O0 closed.c -o closed
//   watchword run -p files.ww -- ./closed

#include <stdio.h>
#include <string.h>

static int lines(FILE *f) {
    char line[256];
    int n = 0;
    while (fgets(line, sizeof line, f)) n++;
    fclose(f);
    return n;
}

int main(void) {
    char line[256];
    FILE *users = fopen("/etc/passwd", "r");
    FILE *groups = fopen("/etc/group", "r");
    if (!users || !groups) return 1;
    int n = lines(users);
    // The header was wanted, too.
    if (fgets(line, sizeof line, users)) n++;
    printf("%d users\n", n);
    return 0;
}
