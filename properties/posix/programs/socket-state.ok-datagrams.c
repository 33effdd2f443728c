/* A datagram socket is bound, connected to one address after the other, and disconnected; numbers are used again. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    struct sockaddr_in own = {.sin_family = AF_INET}, none = {.sin_family = AF_UNSPEC};
    socklen_t size = sizeof own;
    for (int i = 0; i < 2; i++) {
        own.sin_port = 0;
        own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int fd = socket(AF_INET, SOCK_DGRAM, 0);
        bind(fd, (struct sockaddr *)&own, size);
        getsockname(fd, (struct sockaddr *)&own, &size);
        printf("%d\n", connect(fd, (struct sockaddr *)&own, size));
        printf("%d\n", connect(fd, (struct sockaddr *)&own, size));
        printf("%d\n", connect(fd, (struct sockaddr *)&none, sizeof none));
        close(fd);
    }
    return 0;
}
