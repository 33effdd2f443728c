/* Memory of posix_memalign is freed, and given to realloc afterwards. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    void *p = NULL;
    if (posix_memalign(&p, 64, 200) != 0)
        return 1;
    free(p);
    printf("freed\n");
    fflush(stdout);
    p = realloc(p, 300); /* may abort */
    _exit(p == NULL);
}
