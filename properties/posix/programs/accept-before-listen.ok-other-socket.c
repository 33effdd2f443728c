/* The number of a closed socket stands for another one, which listens and is visited. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
    int unused = socket(AF_INET, SOCK_STREAM, 0);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bind(fd, (struct sockaddr *)&any, sizeof any);
    listen(fd, 5);
    int server = dup2(fd, unused); /* a listening socket under the number of the other one */
    socklen_t length = sizeof any;
    getsockname(server, (struct sockaddr *)&any, &length);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    printf("%d\n", connect(client, (struct sockaddr *)&any, sizeof any));
    int peer = accept4(server, NULL, NULL, SOCK_CLOEXEC);
    printf("%d\n", peer > 0);
    close(client), close(peer), close(fd), close(server);
    return 0;
}
