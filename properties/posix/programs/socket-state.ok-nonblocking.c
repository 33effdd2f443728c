/* A socket that does not block is connected by calling `connect` until it says so; one whose other side has gone is
   read; one that was never connected is shut down. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    struct sockaddr_in own = {.sin_family = AF_INET};
    socklen_t size = sizeof own;
    char c;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    listen(server, 1);
    getsockname(server, (struct sockaddr *)&own, &size);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    while (connect(fd, (struct sockaddr *)&own, size) != 0 && errno != EISCONN) {
        struct pollfd writable = {.fd = fd, .events = POLLOUT};
        poll(&writable, 1, 100);
    }
    int other = accept(server, NULL, NULL);
    close(other);
    printf("%zd\n", read(fd, &c, 1));
    close(fd);
    int unused = socket(AF_INET, SOCK_STREAM, 0);
    shutdown(unused, SHUT_RDWR);
    close(unused);
    return 0;
}
