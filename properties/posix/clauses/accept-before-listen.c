/* Connections are accepted by a socket that does not listen. */
#include "clause.h"
#include <netinet/in.h>
#include <sys/socket.h>

int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    bind(s, (struct sockaddr *)&address, sizeof address);
    ON(accept, accept(s, NULL, NULL))
    ON(accept4, accept4(s, NULL, NULL, 0))
    END;
}
