/* Streams are flushed or positioned between reading and writing, or read to the end. */
#define _GNU_SOURCE
#include <stdio.h>

int main(void) {
    char line[9];
    FILE *f = tmpfile();
    fputs("one\ntwo\n", f);
    rewind(f);
    while (fgets(line, sizeof line, f)) printf("%s", line);
    fputs("three\n", f);
    fflush(f);
    printf("%d\n", fgetc(f));
    fseek(f, 0, SEEK_SET);
    printf("%zu\n", fread(line, 1, 3, f));
    fseek(f, 0, SEEK_CUR);
    fwrite("!", 1, 1, f);
    fflush(NULL);
    while (fgetc(f) != EOF) { }
    fputc('\n', f);
    fclose(f);
    return 0;
}
