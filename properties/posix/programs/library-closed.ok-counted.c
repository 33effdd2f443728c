/* A library is open until it was closed as often as it was opened. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    void *first = dlopen("libm.so.6", RTLD_NOW), *second = dlopen("libm.so.6", RTLD_NOW);
    dlclose(first);
    printf("%d\n", dlsym(second, "cos") != NULL);
    dlclose(second);
    return 0;
}
