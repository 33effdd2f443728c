/* A descriptor is closed after the stream that owns it. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int fd = open("/dev/null", O_WRONLY);
    FILE *f = fdopen(fd, "w");
    fclose(f);
    close(fd);
    return 0;
}
