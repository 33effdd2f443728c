/* Text is printed to a closed descriptor. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int fd = open("/dev/null", O_WRONLY);
    close(fd);
    dprintf(fd, "text %d\n", fd);
    return 0;
}
