/* The number of a socket that was shut down stands for others, by dup3 and dup2 too. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int fds[2], others[2];
    long sum = 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    socketpair(AF_UNIX, SOCK_STREAM, 0, others);
    shutdown(fds[0], SHUT_WR);
    dup3(others[0], fds[0], 0);
    sum += send(fds[0], "x", 1, 0);
    shutdown(fds[1], SHUT_WR);
    dup2(others[1], fds[1]);
    sum += write(fds[1], "y", 1);
    printf("%ld\n", sum);
    return 0;
}
