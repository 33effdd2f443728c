/* A descriptor is written to after it was closed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int fd = open("/dev/null", O_WRONLY);
    close(fd);
    printf("%zd\n", write(fd, "x", 1));
    return 0;
}
