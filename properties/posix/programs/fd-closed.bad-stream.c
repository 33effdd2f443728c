/* A descriptor is used after its stream was closed. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *f = fopen("/dev/null", "w");
    int fd = fileno(f);
    fclose(f);
    write(fd, "x", 1);
    return 0;
}
