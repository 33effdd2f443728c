// A function whose rarely needed part the compiler puts elsewhere, and one that is jumped to with
// no way back.
#include <stdio.h>
#include <stdlib.h>

__attribute__((cold, noinline)) static void complain(int i) { fprintf(stderr, "bad %d\n", i); }

__attribute__((noinline)) int check(int i) {
    if (i % 3 == 0) {
        complain(i);
        complain(i + 100);
    }
    __asm__ volatile("");
    return i + 1;
}

#ifdef __cplusplus
extern "C"
#endif
__attribute__((noinline, used)) void leave(void) { exit(5); }

int main(int argc, char **argv) {
    (void)argv;
    int sum = 0;
    for (int i = 0; i < 9; i++)
        sum += check(i);
    printf("%d\n", sum);
    if (argc > 1)
        __asm__ volatile("push $0\n\tjmp leave");
    return 0;
}
