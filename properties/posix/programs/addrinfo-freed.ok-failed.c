/* A lookup fails and leaves the list of the one before alone. */
#define _GNU_SOURCE
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
    struct addrinfo hints, *found = NULL, *none = NULL;
    memset(&hints, 0, sizeof hints);
    hints.ai_flags = AI_NUMERICHOST;
    if (getaddrinfo("::1", NULL, &hints, &found) != 0) return 1;
    if (getaddrinfo("no number", NULL, &hints, &none) == 0) freeaddrinfo(none);
    freeaddrinfo(found);
    if (getaddrinfo("::1", NULL, &hints, &found) != 0) return 1;
    freeaddrinfo(found);
    return 0;
}
