/* listen() was forgotten: accept() fails with EINVAL. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bind(fd, (struct sockaddr *)&any, sizeof any);
    int peer = accept(fd, NULL, NULL);
    printf("%d\n", peer);
    close(fd);
    return 0;
}
