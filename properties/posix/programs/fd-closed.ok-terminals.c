/* A number is used again by functions that rarely open descriptors; reading what is open for writing only fails
   with the same error as reading what is closed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    char c, name[] = "/tmp/againXXXXXX.txt";
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    int again = mkstemps(name, 4);
    unlink(name);
    int written = open("/dev/null", O_WRONLY);
    printf("%d %zd\n", again == fd, read(written, &c, 1));
    close(written);
    dup2(again, written);
    close(again);
    FILE *temporary = tmpfile();
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    printf("%d\n", fileno(temporary) == fd);
    if (terminal >= 0) close(terminal);
    fclose(temporary);
    return 0;
}
