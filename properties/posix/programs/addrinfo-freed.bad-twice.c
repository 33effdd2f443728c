/* A list of addresses is freed twice. A block of its size is taken in between, so that the second call frees that. */
#define _GNU_SOURCE
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    struct addrinfo hints, *found;
    memset(&hints, 0, sizeof hints);
    hints.ai_flags = AI_NUMERICHOST;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo("127.0.0.1", "80", &hints, &found) != 0) return 1;
    freeaddrinfo(found);
    size_t size = sizeof *found + sizeof(struct sockaddr_in);
    struct addrinfo *other = memset(malloc(size), 0, size);
    if (other == found) freeaddrinfo(found);
    else _exit(2);
    _exit(0);
}
