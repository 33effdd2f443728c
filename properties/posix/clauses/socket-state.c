/* Sockets are used before they are connected, or connected and bound again. */
#include "clause.h"
#include <netinet/in.h>
#include <sys/socket.h>

int main(int argc, char **argv) {
    char text[4];
    struct iovec part = {text, 3};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *here = (struct sockaddr *)&address;
    socklen_t size = sizeof address;
    int fresh = socket(AF_INET, SOCK_STREAM, 0);
    ON(recv, recv(fresh, text, 3, 0))
    ON(recvfrom, recvfrom(fresh, text, 3, 0, NULL, NULL))
    ON(recvmsg, recvmsg(fresh, &message, 0))
    ON(read, read(fresh, text, 3))
    ON(bind, bind(fresh, here, size), bind(fresh, here, size))
    int server = socket(AF_INET, SOCK_STREAM, 0);
    bind(server, here, size), listen(server, 1), getsockname(server, here, &size);
    connect(fresh, here, size);
    ON(connect, connect(fresh, here, size))
    ON(listen, listen(fresh, 1))
    END;
}
