/* A list that the C library has freed as a whole is freed once more. */
#define _GNU_SOURCE
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    struct addrinfo *list = NULL, hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    if (getaddrinfo("127.0.0.1", "80", &hints, &list) != 0)
        return 1;
    freeaddrinfo(list);
    printf("freed\n");
    fflush(stdout);
    free(list); /* may abort */
    _exit(0);
}
