/* fork, vfork, posix_spawn, exec: traced functions also run in the children. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) int work(int n) {
    __asm__ volatile("");
    return n + 1;
}

static int wait_code(pid_t pid) {
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "again")) {
        printf("again %d\n", work(40));
        return 9;
    }
    int a = work(1);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) _exit(work(work(10)));
    int b = wait_code(pid);
    pid = vfork();
    if (pid == 0) {
        work(3);
        execl("/bin/sh", "sh", "-c", "exit 5", (char *)0);
        _exit(99);
    }
    int c = wait_code(pid);
    char *args[] = {"sh", "-c", "kill -9 $$", NULL};
    posix_spawn(&pid, "/bin/sh", NULL, NULL, args, environ);
    int d = wait_code(pid);
    printf("%d %d %d %d\n", a, b, c, d);
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "exec")) execl(argv[0], argv[0], "again", (char *)0);
    return work(3);
}
