/* A library is closed once more than it was opened. */
#include <dlfcn.h>
#include <unistd.h>

int main(void) {
    void *h = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    dlclose(h);
    dlclose(h); /* may crash */
    _exit(0);
}
