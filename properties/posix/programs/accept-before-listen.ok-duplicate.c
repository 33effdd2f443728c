/* A socket listens, and is shut down, under another number; `accept` then fails for another reason. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int one = socket(AF_INET, SOCK_STREAM, 0);
    int two = dup(one);
    if (listen(two, 1) != 0) return 0;
    shutdown(two, SHUT_RDWR);
    printf("%d\n", accept(one, NULL, NULL));
    close(one);
    close(two);
    return 0;
}
