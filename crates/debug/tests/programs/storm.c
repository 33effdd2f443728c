// Threads, children and programs that come and go all the time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

long rounds;

__attribute__((noinline)) void mark(long n) { __asm__ volatile("" ::"r"(n)); }

static void *brief(void *arg) {
    __atomic_add_fetch((long *)arg, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *churn(void *arg) {
    long count = 0;
    for (int i = 0; i < 200; i++) {
        pthread_t t[3];
        for (int k = 0; k < 3; k++) pthread_create(&t[k], NULL, brief, &count);
        for (int k = 0; k < 3; k++) pthread_join(t[k], NULL);
        mark(i);
    }
    __atomic_add_fetch((long *)arg, count, __ATOMIC_SEQ_CST);
    return NULL;
}

static void *replace(void *arg) {
    char **argv = arg;
    execl(argv[0], argv[0], "done", NULL);
    return NULL;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "threads")) {
        long count = 0;
        pthread_t t[3];
        for (int k = 0; k < 3; k++) pthread_create(&t[k], NULL, churn, &count);
        for (int k = 0; k < 3; k++) pthread_join(t[k], NULL);
        printf("%ld\n", count);
    }
    if (!strcmp(what, "children")) {
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            pid_t all[3];
            for (int k = 0; k < 3; k++) {
                all[k] = fork();
                if (all[k] == 0) {
                    mark(i);
                    _exit(k + 1);
                }
            }
            mark(i);
            for (int k = 0; k < 3; k++) {
                int status = 0;
                waitpid(all[k], &status, 0);
                sum += WEXITSTATUS(status);
            }
        }
        printf("%d\n", sum);
    }
    if (!strcmp(what, "exec")) {
        pthread_t t;
        for (int i = 0; i < 20; i++) mark(i);
        pthread_create(&t, NULL, replace, argv);
        for (;;) mark(20);
    }
    if (!strcmp(what, "done")) printf("replaced\n");
    return 0;
}
