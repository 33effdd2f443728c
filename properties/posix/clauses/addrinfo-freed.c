/* A list of addresses is freed again. */
#include "clause.h"
#include <netdb.h>

int main(int argc, char **argv) {
    struct addrinfo *all = NULL;
    if (getaddrinfo("127.0.0.1", "80", NULL, &all) != 0) _exit(1);
    freeaddrinfo(all);
    ON(freeaddrinfo, freeaddrinfo(all))
    END;
}
