/* The number of a socket that was shut down stands for another one, after its stream was closed; and a socket that
   was shut down is connected again. The other side is gone each time. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void closed_by_its_stream(void) {
    int a[2], b[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, a);
    FILE *f = fdopen(a[0], "r+");
    shutdown(a[0], SHUT_RDWR);
    fclose(f);
    socketpair(AF_UNIX, SOCK_STREAM, 0, b);
    close(b[1]);
    write(b[0], "x", 1);
}

static void connected_again(void) {
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    bind(listening, (struct sockaddr *)&here, size);
    listen(listening, 5);
    getsockname(listening, (struct sockaddr *)&here, &size);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    connect(s, (struct sockaddr *)&here, size);
    close(accept(listening, NULL, NULL));
    shutdown(s, SHUT_WR);
    struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
    connect(s, &nowhere, sizeof nowhere);
    connect(s, (struct sockaddr *)&here, size);
    int other = accept(listening, NULL, NULL);
    struct linger at_once = {1, 0};
    setsockopt(other, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(other);
    usleep(20000);
    /* The first call may answer ECONNRESET. */
    write(s, "x", 1);
    write(s, "x", 1);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    closed_by_its_stream();
    connected_again();
    return 0;
}
