/* A library is opened, used and closed several times; handles that stand for all of them are no libraries. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    int found = 0;
    for (int i = 0; i < 3; i++) {
        void *h = dlopen("libm.so.6", RTLD_NOW);
        found += dlsym(h, "sin") != NULL;
        dlclose(h);
        found += dlopen("no-such-library.so", RTLD_NOW) == NULL;
        found += dlsym(RTLD_DEFAULT, "printf") != NULL;
    }
    printf("%d\n", found);
    return 0;
}
