/* Lists of addresses are freed in parts, and new ones are made in their place. */
#define _GNU_SOURCE
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
    struct addrinfo hints, *found;
    memset(&hints, 0, sizeof hints);
    hints.ai_flags = AI_NUMERICHOST;
    for (int i = 0; i < 3; i++) {
        if (getaddrinfo("127.0.0.1", "80", &hints, &found) != 0) return 1;
        struct addrinfo *rest = found->ai_next;
        found->ai_next = NULL;
        freeaddrinfo(found);
        if (rest) freeaddrinfo(rest);
    }
    return 0;
}
