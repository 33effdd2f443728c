/* Functions on a closed stream. What they do then is undefined, so they may crash. */
#include "clause.h"
#include <stdarg.h>
#include <wchar.h>

/* The functions themselves, not what headers make of them. */
#undef putc
#undef getc
#undef feof
#undef ferror
#undef clearerr
#undef fileno

static FILE *f;

static void print(const char *format, ...) { va_list all; va_start(all, format); vfprintf(f, format, all); va_end(all); }
static void scan(const char *format, ...) { va_list all; va_start(all, format); vfscanf(f, format, all); va_end(all); }
static void wide_print(const wchar_t *format, ...) { va_list all; va_start(all, format); vfwprintf(f, format, all); va_end(all); }

int main(int argc, char **argv) {
    char text[4] = "a", *line = NULL;
    wchar_t wide[4];
    size_t size = 0;
    int number;
    /* Compilers put their own code in the place of these, unless they are called like that. */
    int (*volatile get)(FILE *) = getc_unlocked;
    int (*volatile put)(int, FILE *) = putc_unlocked;
    fpos_t place = {0};
    f = popen("true", "r");
    pclose(f);
    ON(pclose, pclose(f))
    f = fopen("/dev/zero", "r+");
    fclose(f);
    ON(fclose, fclose(f))
    ON(fread, fread(text, 1, 1, f))
    ON(fwrite, fwrite(text, 1, 1, f))
    ON(fgets, fgets(text, 2, f))
    ON(fputs, fputs(text, f))
    ON(fputc, fputc(1, f))
    ON(putc, putc(1, f))
    ON(fgetc, fgetc(f))
    ON(getc, getc(f))
    ON(ungetc, ungetc(1, f))
    ON(getline, getline(&line, &size, f))
    ON(getdelim, getdelim(&line, &size, 1, f))
    ON(fprintf, fprintf(f, "%d", argc))
    ON(fscanf, fscanf(f, "%d", &number))
    ON(fseek, fseek(f, 0, SEEK_SET))
    ON(fseeko, fseeko(f, 0, SEEK_SET))
    ON(ftell, ftell(f))
    ON(ftello, ftello(f))
    ON(rewind, rewind(f))
    ON(fgetpos, fgetpos(f, &place))
    ON(fsetpos, fsetpos(f, &place))
    ON(fflush, fflush(f))
    ON(feof, feof(f))
    ON(ferror, ferror(f))
    ON(clearerr, clearerr(f))
    ON(fileno, fileno(f))
    ON(setvbuf, setvbuf(f, NULL, _IONBF, 0))
    ON(setbuf, setbuf(f, NULL))
    ON(freopen, freopen("/dev/null", "r", f))
    ON(flockfile, flockfile(f))
    ON(ftrylockfile, ftrylockfile(f))
    ON(funlockfile, funlockfile(f))
    ON(getc_unlocked, get(f))
    ON(putc_unlocked, put(1, f))
    ON(fread_unlocked, (fread_unlocked)(text, 1, 1, f))
    ON(fwrite_unlocked, (fwrite_unlocked)(text, 1, 1, f))
    ON(fgets_unlocked, fgets_unlocked(text, 2, f))
    ON(fputs_unlocked, fputs_unlocked(text, f))
    ON(fputwc, fputwc(L'a', f))
    ON(putwc, putwc(L'a', f))
    ON(fputws, fputws(L"a", f))
    ON(fgetwc, fgetwc(f))
    ON(getwc, getwc(f))
    ON(fgetws, fgetws(wide, 2, f))
    ON(ungetwc, ungetwc(L'a', f))
    ON(fwprintf, fwprintf(f, L"a"))
    ON(fwscanf, fwscanf(f, L"%d", &number))
    ON(fwide, fwide(f, 0))
    ON(vfprintf, print("%d", argc))
    ON(vfscanf, scan("%d", &number))
    ON(vfwprintf, wide_print(L"%d", argc))
    END;
}
