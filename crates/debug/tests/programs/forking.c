/* Parent and child write to the same variable, each in its own memory. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long value = 1;

__attribute__((noinline)) void ready(void) { __asm__ volatile(""); }

int main(void) {
    ready();
    value = 2;
    pid_t pid = fork();
    if (pid == 0) {
        value += 40;
        _exit((int)value);
    }
    int status;
    waitpid(pid, &status, 0);
    value = 3;
    printf("%ld %d %d\n", value, WIFEXITED(status), WEXITSTATUS(status));
    return 0;
}
