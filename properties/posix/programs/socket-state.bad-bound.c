/* A socket is bound twice. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
    struct sockaddr_in any = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&any, sizeof any);
    printf("%d\n", bind(fd, (struct sockaddr *)&any, sizeof any));
    return 0;
}
