/* Children that write to their parent's memory. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int counter;

int main(void) {
    for (int i = 0; i < 3; i++) {
        pid_t child = vfork();
        if (child == 0) {
            counter++;
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    printf("%d\n", counter);
    return counter;
}
