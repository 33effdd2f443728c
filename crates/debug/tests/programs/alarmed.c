/* Writes to a variable right behind calls, while signals come. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

volatile long written;
static volatile long alarms;

__attribute__((noinline)) int called(int n) { __asm__ volatile(""); return n; }
static void on_alarm(int signal) { (void)signal; alarms++; }

int main(int argc, char **argv) {
    int most = atoi(argv[1]);
    signal(SIGALRM, on_alarm);
    ualarm(500, 500);
    for (int i = 1; i <= most; i++) {
        called(i);
        written = i;
    }
    ualarm(0, 0);
    return alarms ? 0 : 1;
}
