/* Calls fail for other reasons, on descriptors whose numbers were closed once and came back from unknown places. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    /* Not by a function of the C library that anybody knows. */
    int again = (int)syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0);
    char c;
    ssize_t n = read(again, &c, 1);
    printf("%d %zd %d\n", again == fd, n, errno == EISDIR);
    close(again);
    printf("%d\n", fcntl(fd, F_GETFD)); /* a question, not a use */
    return 0;
}
