/* Open files of all kinds, and children: what becomes of them when a program is made anew. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

long sum;

__attribute__((noinline)) void mark(long n) { __asm__ volatile("" : : "r"(n) : "memory"); }

static int child(void) {
    int pid = fork();
    if (!pid) {
        for (;;) pause();
    }
    return pid;
}

static void end(int pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv) {
    const char *what = argv[1], *path = argc > 2 ? argv[2] : "";
    int fd = -1, other = -1, pid = 0;
    char byte;
    if (!strcmp(what, "unnamed")) fd = fileno(tmpfile());
    if (!strcmp(what, "named") || !strcmp(what, "twice")) fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (!strcmp(what, "twice")) other = open(path, O_RDONLY);
    if (!strcmp(what, "fifo")) mkfifo(path, 0600), fd = open(path, O_RDWR);
    if (!strcmp(what, "child")) pid = child();
    if (fd >= 0 && strcmp(what, "fifo") && write(fd, "abc", 3) != 3) return 1;
    if (other >= 0 && read(other, &byte, 1) == 1) sum += byte;
    mark(1);
    if (pid) end(pid), pid = 0;
    mark(2);
    if (fd >= 0 && strcmp(what, "fifo") && write(fd, "def", 3) != 3) return 2;
    if (!strcmp(what, "stdin") && read(0, &byte, 1) == 1) sum += byte;
    if (!strcmp(what, "later-child")) pid = child();
    mark(3);
    if (pid) end(pid);
    struct stat found = {0};
    if (fd >= 0) fstat(fd, &found);
    printf("%s %ld at %ld of %ld\n", what, sum, fd >= 0 ? (long)lseek(fd, 0, SEEK_CUR) : 0, (long)found.st_size);
    return 0;
}
