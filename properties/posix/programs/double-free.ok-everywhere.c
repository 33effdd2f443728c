/* Memory from all over the C library, moved, given back and reused. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    for (int i = 0; i < 20; i++) {
        char *p = malloc(10);
        p = realloc(p, 1000 * i + 1);
        free(p);
        free(strdup("text"));
        void *aligned = NULL;
        if (posix_memalign(&aligned, 32, 50) == 0)
            free(aligned);
        free(aligned_alloc(64, 128));
        free(calloc(3, 7));
        free(NULL);
        char *line = NULL;
        size_t size = 0;
        FILE *f = fopen("/proc/self/status", "r");
        while (getline(&line, &size, f) > 0)
            ;
        free(line);
        fclose(f);
        char *text = NULL;
        if (asprintf(&text, "%d", i) > 0)
            free(text);
        free(realpath("/usr/../usr", NULL));
        free(getcwd(NULL, 0));
    }
    printf("done\n");
    return 0;
}
