/* The kernel writes onto a page with a watched variable, which the program itself writes to, too. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    long watched;
    int status;
    char data[3][64];
} page __attribute__((aligned(4096)));
extern volatile long watched __attribute__((alias("page")));
volatile long *on_stack;
static volatile int signals;
static int ends[2];

__attribute__((noinline)) void ready(void) { __asm__ volatile(""); }
static void on_alarm(int signal) { (void)signal; signals++; }

static void *reader(void *arg) {
    long failed = 0;
    for (int i = 0; i < 50; i++) failed += read(ends[0], page.data[(long)arg], 8) != 8;
    return (void *)failed;
}

static __attribute__((noinline)) void with_signals(void) {
    volatile long local = 0;
    on_stack = &local;
    signal(SIGALRM, on_alarm);
    ready();
    ualarm(1000, 1000);
    for (int i = 1; i <= 200; i++) {
        ready();
        local = i;
        if (i % 50 == 0) for (int before = signals; signals == before;) pause();
    }
    ualarm(0, 0);
    /* From here, where the variable is alive. */
    _exit(local == 200 && signals >= 4 && write(1, "good\n", 5) == 5 ? 0 : 1);
}

int main(int argc, char **argv) {
    int good = 0;
    if (!strcmp(argv[1], "signals")) with_signals();
    ready();
    for (int i = 1; i <= 5; i++) {
        watched = i;
        if (!strcmp(argv[1], "wait")) {
            pid_t child = fork();
            if (!child) _exit(i);
            good += waitpid(child, &page.status, 0) == child && WEXITSTATUS(page.status) == i;
        } else if (!strcmp(argv[1], "datagrams")) {
            if (i == 1) socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
            for (int k = 0; k < 3; k++) if (write(ends[1], "abc" + k, 1) != 1) return 2;
            for (int k = 0; k < 3; k++) good += recv(ends[0], page.data[k], 8, 0) == 1;
            good += !memcmp((char[]){page.data[0][0], page.data[1][0], page.data[2][0]}, "abc", 3);
        } else if (!strcmp(argv[1], "vectors")) {
            if (i == 1 && pipe(ends)) return 2;
            if (write(ends[1], "abcdef", 6) != 6) return 2;
            struct iovec parts[2] = {{page.data[0], 3}, {page.data[1], 3}};
            good += readv(ends[0], parts, 2) == 6 && page.data[1][2] == 'f';
        } else if (!strcmp(argv[1], "protect")) {
            mprotect(&page, sizeof page, PROT_READ);
            good += read(-1, page.data[0], 1) < 0;
            mprotect(&page, sizeof page, PROT_READ | PROT_WRITE);
            watched = -i;
        }
    }
    if (!strcmp(argv[1], "threads")) {
        pthread_t all[3];
        if (pipe(ends)) return 2;
        for (long i = 0; i < 3; i++) pthread_create(&all[i], NULL, reader, (void *)i);
        for (int i = 0; i < 150; i++) if (write(ends[1], "12345678", 8) != 8) return 2;
        for (int i = 0; i < 3; i++) {
            void *failed;
            pthread_join(all[i], &failed);
            good += !failed;
        }
    }
    printf("%d\n", good);
    return 0;
}
