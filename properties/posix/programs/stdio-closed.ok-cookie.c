/* Streams with functions of our own, in memory, temporary ones and those of commands. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static ssize_t swallow(void *cookie, const char *text, size_t n) {
    (void)text;
    *(long *)cookie += (long)n;
    return (ssize_t)n;
}

int main(void) {
    long swallowed = 0;
    for (int i = 0; i < 3; i++) {
        fclose(fopen("/dev/null", "r"));
        FILE *f = fopencookie(&swallowed, "w", (cookie_io_functions_t){.write = swallow});
        fprintf(f, "%d", i);
        fclose(f);
        char *text = NULL;
        size_t size = 0;
        f = open_memstream(&text, &size);
        fputs("text", f);
        fclose(f);
        free(text);
        f = tmpfile();
        fputc('x', f);
        rewind(f);
        swallowed += fgetc(f) == 'x';
        fclose(f);
        f = popen("true", "r");
        swallowed += pclose(f);
    }
    printf("%ld\n", swallowed);
    return 0;
}
