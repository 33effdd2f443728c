/* Loads a library late, calls it, unloads it, loads it again. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        void *lib = dlopen(argv[1], RTLD_NOW);
        if (!lib) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        int (*plug)(int) = (int (*)(int))dlsym(lib, "plug");
        sum += plug(i);
        dlclose(lib);
    }
    printf("%d\n", sum);
    return 0;
}
