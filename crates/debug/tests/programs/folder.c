// Reads a folder between two marks; perhaps with another file open, or closing the folder.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

int entries;
__attribute__((noinline)) void mark(int n) { __asm__ volatile("" : : "r"(n) : "memory"); }

int main(int argc, char **argv) {
    DIR *folder = opendir(argv[1]);
    if (argc > 2) open(argv[2], O_RDONLY);
    readdir(folder);
    mark(1);
    rewinddir(folder);
    mark(2);
    while (readdir(folder)) entries++;
    printf("%d entries\n", entries);
    fflush(stdout);
    if (argc > 2 && !strcmp(argv[2], "close")) closedir(folder);
    mark(3);
    return 7;
}
