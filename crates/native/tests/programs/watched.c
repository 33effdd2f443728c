#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *head;
int counter;
long wide[100];
static int sum(int n) { int total = 0; for (int i = 0; i < n; i++) { total += i; } return total; }
int main(void) {
    struct node a = {1, 0}, b = {2, 0};
    head = &a;
    head->value = 5;
    head = &b;
    head->value = 7;
    a.value = 9;
    counter = 1;
    counter = 1;
    counter = 2;
    int x = counter + 1;
    wide[70] = x;
    printf("%d %d\n", sum(4), x);
    return x;
}
