/* A symbol is looked up in a library that is closed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    void *h = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    dlclose(h);
    printf("closed\n");
    fflush(stdout);
    dlsym(h, "cos"); /* may crash */
    _exit(0);
}
