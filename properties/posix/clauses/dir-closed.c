/* Functions on a closed directory. */
#include "clause.h"
#include <dirent.h>

int main(int argc, char **argv) {
    struct dirent entry, *next;
    DIR *d = opendir("/");
    closedir(d);
    ON(readdir, readdir(d))
    ON(readdir_r, readdir_r(d, &entry, &next))
    ON(rewinddir, rewinddir(d))
    ON(seekdir, seekdir(d, 0))
    ON(telldir, telldir(d))
    ON(dirfd, dirfd(d))
    ON(closedir, closedir(d))
    END;
}
