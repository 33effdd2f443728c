/* Something is sent after the output was shut down; the signal is switched off. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int fds[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    shutdown(fds[0], SHUT_WR);
    printf("%zd\n", send(fds[0], "x", 1, MSG_NOSIGNAL));
    close(fds[0]), close(fds[1]);
    return 0;
}
