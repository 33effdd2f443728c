/* A descriptor is closed again. */
#include "clause.h"
#include <fcntl.h>

int main(int argc, char **argv) {
    int f = open("/dev/zero", O_RDWR);
    close(f);
    ON(close, close(f))
    END;
}
