// Exceptions, a container, thread-local variables, a signal, a watched variable.
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

thread_local int mine = 7;
int watched = 0;
volatile double half = 0.5;
volatile long double exact = 1.25L;

__attribute__((noinline)) int twice(int n) { return 2 * n; }

__attribute__((noinline)) void fail(int n) {
    if (n > 2) throw std::runtime_error("too much");
}

__attribute__((noinline)) void count() {
    for (int i = 1; i <= 3; i++) watched = i;
}

int main() {
    std::vector<int> numbers{1, 2, 3};
    mine = 8;
    std::thread other([] { mine = 9; });
    other.join();
    count();
    raise(SIGUSR1);
    int caught = 0;
    for (int n : numbers) {
        try {
            fail(n);
        } catch (const std::exception &e) {
            caught++;
        }
    }
    std::printf("%d caught, %d, %g\n", caught, twice(21), half * 2);
    return 3;
}
