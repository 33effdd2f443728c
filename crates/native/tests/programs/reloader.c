/* Loads a library several times and uses the memory it was in for something else meanwhile. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv) {
    int elsewhere = argc > 2 && strcmp(argv[2], "elsewhere") == 0;
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        if (!library)
            return 1;
        void (*set_level)(int) = (void (*)(int))dlsym(library, "set_level");
        volatile int *level = dlsym(library, "level");
        for (int n = 1; n <= 4; n++) {
            set_level(n);
            sum += *level;
        }
        dlclose(library);
        void *page = (void *)((unsigned long)level & ~4095UL);
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
        if (mmap(page, 4096, PROT_READ | PROT_WRITE, flags, -1, 0) != page)
            return 2;
        for (int n = 0; n < 5; n++)
            *level = 100 + n;
        sum += *level;
        // Where something is left, the library comes to lie elsewhere next time.
        if (!elsewhere)
            munmap(page, 4096);
    }
    printf("%d\n", sum);
    return 0;
}
