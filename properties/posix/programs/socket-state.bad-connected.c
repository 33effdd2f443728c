/* A socket is connected twice. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
    struct sockaddr_in own = {.sin_family = AF_INET};
    socklen_t size = sizeof own;
    int server = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
    listen(server, 1);
    getsockname(server, (struct sockaddr *)&own, &size);
    if (connect(fd, (struct sockaddr *)&own, size) != 0) return 1;
    printf("%d\n", connect(fd, (struct sockaddr *)&own, size));
    return 0;
}
