/* A socket is written to whose output was shut down. */
#include "clause.h"
#include <sys/socket.h>
#include <sys/uio.h>

int main(int argc, char **argv) {
    char text[4] = "abc";
    struct iovec part = {text, 3};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    int pair[2];
    signal(SIGPIPE, SIG_IGN);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    shutdown(pair[0], SHUT_WR);
    ON(send, send(pair[0], text, 3, 0))
    ON(sendto, sendto(pair[0], text, 3, 0, NULL, 0))
    ON(sendmsg, sendmsg(pair[0], &message, 0))
    ON(write, write(pair[0], text, 3))
    ON(writev, writev(pair[0], &part, 1))
    END;
}
