// Something of every kind that people look at in a debugger.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };
enum rights { READ = 1, WRITE = 2, RUN = 4 };
typedef struct point {
    int x, y;
} point_t;
struct node {
    struct node *next;
    char name[16];
    point_t at;
    double weight;
    int (*act)(int);
};

static int shared = 42;
int counter;
double ratio = 2.5;
float small = 0.5f;
const char *text = "hello\tworld";
const char *names[] = {"ada", "bob", "eve"};
int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
int zeros[100];
unsigned char bytes[8] = {1, 2, 255, 0, 65, 66, 67, 0};
struct node first = {0, "first", {1, 2}, 3.25, 0};

int square(int v) {
    return v * v;
}
double half(double d) {
    return d / 2;
}
long length(const char *s) {
    return (long)strlen(s);
}
point_t mirror(point_t p) {
    point_t q = {p.y, p.x};
    return q;
}
double mixed(int a, double b, long c, float d, int e, int f, int g, int h) {
    return a + b + (double)c + d + e + f + g * 10 + h * 100;
}
struct node make(int x) {
    struct node made = {0, "made", {x, x}, 1.5, square};
    return made;
}
static int inner(int depth) {
    static int calls;
    int local = depth * 2;
    calls++;
    if (depth == 0)
        return local;
    return inner(depth - 1) + local;
}
void on_signal(int signal) {
    counter += signal;
}
int choose(int which) {
    int chosen = 0;
    if (which == 1)
        chosen = 10;
    else
        chosen = 20;
    return chosen;
}

int main(void) {
    double d[2] = {1.5, -2.25};
    int i = 0;
    struct node *p = &first;
    point_t pt = {3, 4};
    unsigned char tiny = 200;
    long large = -5000000000;
    enum rights rights = READ | RUN;
    enum color color = GREEN;
    char room[8] = "abc";
    void *anything = &pt;
    p->act = square;
    signal(SIGUSR1, on_signal);
    i = inner(3);
    counter = choose(1);
    raise(SIGUSR1);
    counter += square(i) + tiny + (int)large + (int)rights + (int)color + room[0];
    return (int)(half(d[0]) + mixed(1, 2, 3, 4, 5, 6, 7, 8) + mirror(pt).x) + make(1).at.x > 0
               ? shared - 42 + (anything == 0)
               : (int)length(text);
}
