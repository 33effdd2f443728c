/* Takes its time between two calls. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) void begin(void) { __asm__ volatile(""); }
__attribute__((noinline)) void finish(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
    begin();
    usleep(1000 * (argc > 1 ? atoi(argv[1]) : 0));
    finish();
    return 0;
}
