/* A library is used after it was closed. */
#include "clause.h"
#include <dlfcn.h>

int main(int argc, char **argv) {
    void *library = dlopen("libm.so.6", RTLD_NOW);
    dlclose(library);
    ON(dlsym, dlsym(library, "cos"))
    ON(dlclose, dlclose(library))
    END;
}
