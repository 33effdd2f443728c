/* Methods of the names free, read and close are not those of the C library. */
#include <cstdio>
#include <cstdlib>

struct Pool {
    char space[64];
    int frees = 0;
    __attribute__((noinline)) void free(void *) { frees++; }
    __attribute__((noinline)) int close(int) { return frees ? -1 : 0; }
    __attribute__((noinline)) long read(int, void *, unsigned long) { return -1; }
};

namespace pool {
__attribute__((noinline)) void free(void *p) { std::printf("%d", p != nullptr); }
}

int main() {
    Pool pool_;
    void *p = std::malloc(10);
    pool_.free(p);
    pool_.free(p);
    pool::free(p);
    pool::free(p);
    int sum = pool_.close(77) + pool_.close(77);
    sum += static_cast<int>(pool_.read(77, p, 1));
    std::free(p);
    std::printf("%d\n", sum);
}
