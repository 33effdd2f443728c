/* Duplicates of a descriptor are closed each on its own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int fd = open("/dev/null", O_RDONLY);
    int copy = dup(fd), other = fcntl(fd, F_DUPFD, 50);
    printf("%d %d %d\n", close(fd), close(copy), close(other));
    return 0;
}
