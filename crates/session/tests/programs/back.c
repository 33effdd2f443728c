// A program of one thread that does the same again: what is known of it can be gone back on.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int total;

int twice(int n) {
    int result = n * 2;
    return result;
}

int sum(int *all, int count) {
    int i;
    for (i = 0; i < count; i++) {
        total += twice(all[i]);
    }
    return total;
}

int main(void) {
    int all[] = {1, 2, 3};
    int *kept = malloc(100000);
    int first = sum(all, 3);
    kept[0] = first;
    printf("%d\n", first);
    fflush(stdout);
    int second = first + 1;
    int third = (int)(time(NULL) % 7);
    second += third;
    return second < 0;
}
