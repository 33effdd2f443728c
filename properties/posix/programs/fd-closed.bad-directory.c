/* A descriptor is used after its directory was closed. */
#include <dirent.h>
#include <unistd.h>

int main(void) {
    DIR *d = opendir("/tmp");
    int fd = dirfd(d);
    closedir(d);
    fsync(fd);
    return 0;
}
