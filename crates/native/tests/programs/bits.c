/* Two bit fields in one byte, and a neighbour outside it. */
#include <stdio.h>

struct {
    unsigned low : 3;
    unsigned high : 5;
    unsigned next;
} flags;

int main(void) {
    for (int i = 1; i <= 2; i++)
        flags.low = i;
    for (int i = 1; i <= 3; i++)
        flags.high = i;
    flags.next = 1;
    printf("%d\n", flags.low + flags.high);
    return 0;
}
