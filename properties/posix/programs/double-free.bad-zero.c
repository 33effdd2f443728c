/* Memory is freed after `realloc` with a size of 0 has freed it. */
#include <stdlib.h>

int main(int argc, char **argv) {
    char *p = malloc(100);
    char *q = realloc(p, argc - 1);
    if (q == NULL)
        free(p); /* aborts */
    return 0;
}
