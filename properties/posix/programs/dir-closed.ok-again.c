/* Directories opened again and again at the same place, by name and by descriptor. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

int main(void) {
    int entries = 0;
    for (int i = 0; i < 4; i++) {
        DIR *d = i % 2 ? opendir("/") : fdopendir(open("/", O_RDONLY | O_DIRECTORY));
        while (readdir(d))
            entries++;
        rewinddir(d);
        entries += readdir(d) != NULL;
        closedir(d);
    }
    printf("%d\n", entries > 0);
    return 0;
}
