/* Streams without descriptors are closed, and descriptors of closed streams are opened again. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(void) {
    for (int i = 0; i < 10; i++) {
        char *text;
        size_t size;
        FILE *f = open_memstream(&text, &size);
        fclose(f);
        free(text);
        write(-1, "x", 1);
        write(-2, "x", 1);
        fclose(fopen("/dev/null", "w"));
        int fd = open("/dev/null", O_WRONLY);
        write(fd, "x", 1);
        f = fdopen(fd, "w");
        int kept = dup(fd);
        fclose(f);
        write(kept, "x", 1);
        fd = eventfd(1, 0);
        dup2(kept, fd);
        write(fd, "x", 1);
        close(fd);
        close(kept);
        closedir(opendir("/tmp"));
        int ends[2];
        pipe(ends);
        write(ends[1], "x", 1);
        close(ends[0]);
        fclose(fdopen(ends[1], "w"));
    }
    return 0;
}
