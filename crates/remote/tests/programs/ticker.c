// Counts until it is told to stop.
#include <unistd.h>

volatile long ticks = 0;

__attribute__((noinline)) void tick(void) { ticks++; }

int main(void) {
    for (;;) {
        tick();
        usleep(1000);
    }
}
