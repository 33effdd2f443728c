/* Only the input is shut down; and another process ends the connection, which is no mistake of ours. */
#define _GNU_SOURCE
#include <stdio.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int fds[2];
    signal(SIGPIPE, SIG_IGN);
    socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    shutdown(fds[0], SHUT_RD);
    printf("%zd\n", send(fds[0], "x", 1, 0));
    close(fds[1]);
    printf("%zd\n", send(fds[0], "x", 1, 0));
    close(fds[0]);
    return 0;
}
