/* A closed descriptor is read by a function that checks sizes. */
#define _FORTIFY_SOURCE 2
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char bytes[20];
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return read(fd, bytes, argc + 10) > 0;
}
