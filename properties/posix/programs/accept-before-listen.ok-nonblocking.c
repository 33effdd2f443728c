/* A listening socket without visitors: accept() fails with EAGAIN, which is no mistake. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bind(fd, (struct sockaddr *)&any, sizeof any);
    listen(fd, 5);
    int peer = accept(fd, NULL, NULL);
    printf("%d %d\n", peer, errno == EAGAIN);
    close(fd);
    return 0;
}
