/* Calls of the C library by several names, and a pointer that the dynamic linker relocates. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct node { int v; };
static struct node node = {5};
struct node *head = &node;

int main(void) {
    for (int i = 0; i < 3; i++) {
        close(open("/dev/null", O_RDONLY));
        close(open64("/dev/null", O_RDONLY));
        free(malloc(10));
    }
    head->v = 1;
    head->v = 2;
    printf("%d\n", node.v);
    return 0;
}
