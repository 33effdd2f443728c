/* Threads that end in every way there is. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock;
static pthread_barrier_t begin, end;
static __thread int mine = 7;
long ended, result;

__attribute__((noinline)) void mark(long n) { __asm__ volatile("" : : "r"(n) : "memory"); }

static void *returns(void *arg) {
    pthread_barrier_wait(&begin);
    mine += (int)(long)arg;
    pthread_barrier_wait(&end);
    __atomic_add_fetch(&ended, mine, __ATOMIC_SEQ_CST);
    return arg;
}

static void *exits(void *arg) {
    returns(arg);
    pthread_exit(arg);
}

static void *dies_with_lock(void *arg) {
    pthread_mutex_lock(&lock);
    return returns(arg);
}

int main(int argc, char **argv) {
    const char *how = argv[1];
    pthread_barrier_init(&begin, NULL, 4);
    pthread_barrier_init(&end, NULL, 4);
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    pthread_t t[3];
    void *(*body[3])(void *) = {returns, exits, returns};
    if (!strcmp(how, "lock")) body[2] = dies_with_lock;
    for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, body[i], (void *)i);
    pthread_barrier_wait(&begin);
    mark(1);
    if (!strcmp(how, "detached")) for (int i = 0; i < 3; i++) pthread_detach(t[i]);
    pthread_barrier_wait(&end);
    if (!strcmp(how, "leader")) {
        mark(2);
        pthread_exit(NULL);
    }
    if (!strcmp(how, "detached"))
        while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) != 24) usleep(100);
    else for (int i = 0; i < 3; i++) {
        void *value;
        pthread_join(t[i], &value);
        result = result * 10 + (long)value;
    }
    if (!strcmp(how, "lock")) result += pthread_mutex_lock(&lock) == EOWNERDEAD ? 1000 : 0;
    if (!strcmp(how, "reuse")) {
        /* A new thread gets the stack of an old one. */
        pthread_barrier_init(&begin, NULL, 2);
        pthread_barrier_init(&end, NULL, 2);
        pthread_create(&t[0], NULL, returns, (void *)5);
        pthread_barrier_wait(&begin);
        mark(2);
        pthread_barrier_wait(&end);
        pthread_join(t[0], NULL);
    }
    mark(3);
    printf("%s %ld %ld\n", how, result, ended);
    if (!strcmp(how, "raw")) {
        fflush(stdout);
        syscall(SYS_exit, 0);
    }
    return 0;
}
