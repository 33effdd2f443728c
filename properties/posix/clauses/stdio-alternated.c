/* A stream is read after it was written to, and the other way round, without a seek between them. */
#include "clause.h"
#undef putc
#undef getc

int main(int argc, char **argv) {
    char text[9] = "a";
    FILE *f = tmpfile();
    fputs("some text", f);
    ON(fread, fread(text, 1, 1, f))
    ON(fgetc, fgetc(f))
    ON(getc, getc(f))
    ON(fgets, fgets(text, 2, f))
    rewind(f);
    fgetc(f);
    ON(fwrite, fwrite(text, 1, 1, f))
    ON(fputc, fputc(1, f))
    ON(putc, putc(1, f))
    ON(fputs, fputs(text, f))
    ON(fprintf, fprintf(f, "%d", argc))
    END;
}
