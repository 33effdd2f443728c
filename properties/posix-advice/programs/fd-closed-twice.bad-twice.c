/* A descriptor is closed twice. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    printf("%d\n", close(fd));
    return 0;
}
