#include <unistd.h>
int main(void) {
    int fd = dup(1);
    close(fd);
    close(fd);

    return 0;
}
