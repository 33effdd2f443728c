/* Something is written after the output was shut down; the signal ends the program. */
#define _GNU_SOURCE
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int fds[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    shutdown(fds[0], SHUT_RDWR);
    return (int)write(fds[0], "x", 1);
}
