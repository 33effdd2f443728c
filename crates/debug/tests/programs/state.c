/* State of all kinds that a checkpoint must bring back. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define THREADS 4
long counters[THREADS];
long rounds, total, reader, handled, unchanged;
char *big, *wiped, *kept_out, *sparse;
long left_ms, stack_size;
static char name[16], stack[65536];
size_t big_size = 16 << 20;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long generation;
static int done;

__attribute__((noinline)) void mark(long n) { __asm__ volatile("" : : "r"(n) : "memory"); }

static void *work(void *arg) {
    long me = (long)arg, seen = 0;
    double x = 1.0;
    pthread_mutex_lock(&lock);
    while (!done) {
        while (generation == seen && !done) pthread_cond_wait(&changed, &lock);
        seen = generation;
        x = x * 1.5 + me;
        counters[me] += (long)x % 97;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void handle(int signal) { handled += signal; }
static void other(int signal) { handled -= signal; }

/* What the kernel keeps of the thread and the process, for a debugger to read. */
static void ask(void) {
    stack_t s;
    struct itimerval timer;
    sigaltstack(NULL, &s);
    getitimer(ITIMER_REAL, &timer);
    stack_size = s.ss_flags & SS_DISABLE ? 0 : (long)s.ss_size;
    left_ms = timer.it_value.tv_sec * 1000 + timer.it_value.tv_usec / 1000;
    prctl(PR_GET_NAME, name);
}

static char *anonymous(size_t size, int kind) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "plain";
    big = mmap(NULL, big_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(big, 1, big_size);
    int file = open(argv[0], O_RDONLY);
    signal(SIGUSR1, handle);
    if (!strcmp(what, "trap")) signal(SIGTRAP, handle);
    if (!strcmp(what, "discard-file")) {
        /* The copy of a file, as large. */
        FILE *copy = tmpfile();
        if (!copy || fwrite(big, 1, big_size, copy) != big_size || fflush(copy)) return 5;
        big = mmap(NULL, big_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(copy), 0);
        memset(big, 0, big_size);
        memset(big, 1, big_size);
        if (pwrite(fileno(copy), "000", 3, (8 << 20) + 98) != 3) return 6;
    }
    wiped = anonymous(8192, MAP_PRIVATE);
    kept_out = anonymous(8192, MAP_PRIVATE);
    if (!strcmp(what, "apart")) {
        madvise(wiped, 8192, MADV_WIPEONFORK);
        madvise(kept_out, 8192, MADV_DONTFORK);
        /* Much memory that was only read: children have it, too. */
        volatile char *zeros = anonymous(128 << 20, MAP_PRIVATE);
        for (size_t i = 0; i < 128 << 20; i += 4096) total += zeros[i];
    }
    if (!strcmp(what, "sparse")) {
        sparse = anonymous(256 << 20, MAP_SHARED);
        sparse[64 << 20] = 1;
    }
    wiped[4100] = kept_out[4100] = 7;
    prctl(PR_SET_NAME, "first");
    int fds[2];
    if (pipe(fds)) return 1;
    reader = fds[0];
    pthread_t t[THREADS];
    int threads = strcmp(what, "single") ? THREADS : 0;
    for (long i = 0; i < threads; i++) pthread_create(&t[i], NULL, work, (void *)i);
    unsigned long hash = 0;
    void *extra = NULL;
    for (rounds = 0; rounds < 12; rounds++) {
        char bytes[64];
        if (read(file, bytes, sizeof bytes) != sizeof bytes) return 2;
        for (size_t i = 0; i < sizeof bytes; i++) hash = hash * 31 + (unsigned char)bytes[i];
        big[rounds * 65536 + 5] = (char)rounds;
        char *heap = malloc(200000 + rounds * 1000);
        memset(heap, (int)rounds, 200000);
        hash += heap[77];
        if (rounds % 3) free(heap);
        if (extra) {
            hash += ((char *)extra)[9];
            munmap(extra, 1 << 20);
        }
        extra = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ((char *)extra)[9] = (char)(rounds * 3);
        pthread_mutex_lock(&lock);
        generation++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        usleep(300);
        total += big[rounds * 65536 + 5] + big[100];
        if (rounds == 6) {
            if (!strcmp(what, "pipe") && write(fds[1], "data", 4) != 4) return 3;
            if (!strcmp(what, "handler") && !unchanged) {
                signal(SIGUSR2, SIG_IGN);
                signal(SIGUSR1, other);
                signal(SIGWINCH, handle);
            }
            if (!strcmp(what, "new-thread")) pthread_create(&t[0], NULL, work, (void *)0);
            if (!strcmp(what, "close")) close(file), file = open(argv[0], O_RDONLY);
            if (!strncmp(what, "discard", 7)) madvise(big + (8 << 20), 1 << 20, MADV_DONTNEED);
            if (!strcmp(what, "move")) big = mremap(big, big_size, big_size * 2, MREMAP_MAYMOVE);
            if (!strcmp(what, "protect")) mprotect(big + (8 << 20), 4096, PROT_READ);
            if (!strcmp(what, "flags")) {
                fcntl(fds[0], F_SETFL, O_NONBLOCK);
                fcntl(fds[0], F_SETFD, FD_CLOEXEC);
                umask(077);
                if (chdir("/")) return 4;
            }
            if (!strcmp(what, "apart")) munmap(kept_out, 4096);
            if (!strcmp(what, "apart-later")) {
                madvise(wiped, 8192, MADV_WIPEONFORK);
                madvise(kept_out, 8192, MADV_DONTFORK);
            }
            wiped[4100] = kept_out[4100] = 8;
            if (!strcmp(what, "traits") && !unchanged) {
                stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
                struct itimerval timer = {.it_value = {.tv_sec = 1000}};
                sigaltstack(&other, NULL);
                setitimer(ITIMER_REAL, &timer, NULL);
                prctl(PR_SET_NAME, "second");
                setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1);
            }
            if (!strcmp(what, "sparse")) sparse[128 << 20] = 1;
            if (!strcmp(what, "closed-pipe")) close(fds[0]);
        }
        if (!strcmp(what, "handler") && rounds == 11) raise(SIGUSR1);
        if (!strcmp(what, "trap") && rounds == 11) raise(SIGTRAP);
        ask();
        mark(rounds);
    }
    done = 1;
    pthread_cond_broadcast(&changed);
    printf("%s rounds %ld total %ld hash %lu\n", what, rounds, total, hash);
    fflush(stdout);
    _exit((int)(hash & 0x3f));
}
