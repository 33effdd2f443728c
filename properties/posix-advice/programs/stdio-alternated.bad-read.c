/* A stream is read directly after it was written. */
#define _GNU_SOURCE
#include <stdio.h>

int main(void) {
    FILE *f = tmpfile();
    fputs("text", f);
    printf("%d\n", fgetc(f));
    fclose(f);
    return 0;
}
