/* Memory is freed twice; the program ends before the C library notices. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    char *volatile p = malloc(100), *volatile other = malloc(100);
    free(p);
    free(other);
    printf("freed\n");
    fflush(stdout);
    free(p); /* may abort */
    _exit(0);
}
