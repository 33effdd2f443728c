/* The C library walks through directories on its own: nftw, scandir and glob. */
#define _GNU_SOURCE
#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

static int count;
static int seen(const char *path, const struct stat *s, int type, struct FTW *where) {
    (void)path, (void)s, (void)type, (void)where;
    return ++count > 20;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        closedir(opendir("/"));
        nftw("/usr", seen, 5, FTW_PHYS);
        struct dirent **names;
        int n = scandir("/", &names, NULL, alphasort);
        for (int k = 0; k < n; k++)
            free(names[k]);
        free(names);
        glob_t found;
        glob("/*", 0, NULL, &found);
        globfree(&found);
        closedir(opendir("/"));
    }
    printf("%d\n", count > 0);
    return 0;
}
