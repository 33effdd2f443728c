/* A socket is read that was never connected. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
    char c;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    printf("%zd\n", recv(fd, &c, 1, 0));
    return 0;
}
