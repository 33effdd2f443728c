/* Numbers are used again for pipes, duplicates and files. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    long total = 0;
    for (int i = 0; i < 5; i++) {
        int fds[2];
        char c = 'x';
        if (pipe(fds) != 0)
            return 1;
        int copy = dup(fds[1]);
        close(fds[1]);
        total += write(copy, &c, 1) + read(fds[0], &c, 1);
        close(copy);
        close(fds[0]);
        FILE *f = fopen("/proc/self/stat", "r");
        total += fgetc(f) != EOF;
        fclose(f);
    }
    printf("%ld\n", total);
    return 0;
}
