/* Functions on a closed descriptor. */
#include "clause.h"
#include <fcntl.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

static void print(int fd, const char *format, ...) {
    va_list all;
    va_start(all, format);
    vdprintf(fd, format, all);
    va_end(all);
}

int main(int argc, char **argv) {
    char text[4] = "abc";
    struct iovec part = {text, 3};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct epoll_event event;
    struct sockaddr address = {.sa_family = AF_INET};
    socklen_t size = sizeof address;
    int on = argc;
    int f = open("/dev/zero", O_RDWR), s = socket(AF_INET, SOCK_STREAM, 0), e = epoll_create1(0);
    close(f), close(s), close(e);
    ON(read, read(f, text, 3))
    ON(write, write(f, text, 3))
    ON(pread, pread(f, text, 3, 0))
    ON(pwrite, pwrite(f, text, 3, 0))
    ON(lseek, lseek(f, 0, SEEK_SET))
    ON(fsync, fsync(f))
    ON(fdatasync, fdatasync(f))
    ON(ftruncate, ftruncate(f, 0))
    ON(fchown, fchown(f, 0, 0))
    ON(fchdir, fchdir(f))
    ON(readv, readv(f, &part, 1))
    ON(writev, writev(f, &part, 1))
    ON(fchmod, fchmod(f, 0600))
    ON(dprintf, dprintf(f, "%s", text))
    ON(vdprintf, print(f, "%s", text))
    ON(epoll_wait, epoll_wait(e, &event, 1, 0))
    ON(flock, flock(f, LOCK_EX))
    ON(sendfile, sendfile(f, 1, NULL, 3))
    ON(fallocate, fallocate(f, 0, 0, 1))
    ON(recv, recv(s, text, 3, 0))
    ON(recvfrom, recvfrom(s, text, 3, 0, &address, &size))
    ON(recvmsg, recvmsg(s, &message, 0))
    ON(send, send(s, text, 3, 0))
    ON(sendto, sendto(s, text, 3, 0, &address, size))
    ON(sendmsg, sendmsg(s, &message, 0))
    ON(bind, bind(s, &address, size))
    ON(connect, connect(s, &address, size))
    ON(listen, listen(s, 1))
    ON(accept, accept(s, NULL, NULL))
    ON(accept4, accept4(s, NULL, NULL, 0))
    ON(shutdown, shutdown(s, SHUT_RD))
    ON(setsockopt, setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on))
    END;
}
