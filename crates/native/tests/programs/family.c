/* Children: forked, forked and executing a program, spawned, and one that outlives its parent. */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) void acquire(int k) { __asm__ volatile("" : : "r"(k)); }
__attribute__((noinline)) void release(int k) { __asm__ volatile("" : : "r"(k)); }

/* Returns in the parent and in the child. */
__attribute__((noinline)) pid_t divide(int n) {
    pid_t child = fork();
    __asm__ volatile("" : : "r"(n));
    return child;
}

static int work(int is_wrong) {
    acquire(5);
    release(5);
    if (is_wrong)
        release(5);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1)
        return work(!strcmp(argv[1], "wrong"));
    acquire(1);
    for (int i = 0; i < 3; i++) {
        if (divide(i) == 0) {
            release(1);
            if (i == 1)
                release(1);
            _exit(i);
        }
    }
    release(1);
    const char *words[] = {"right", "wrong"};
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            execl(argv[0], argv[0], words[i], (char *)NULL);
    char *spawned[] = {argv[0], "wrong", NULL};
    posix_spawn(NULL, argv[0], NULL, NULL, spawned, environ);
    while (wait(NULL) > 0) {
    }
    if (fork() == 0) {
        usleep(200000);
        acquire(2);
        release(2);
        release(2);
        _exit(0);
    }
    return 7;
}
