/* Values of many types, parameters passed in many ways. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };
struct pair { int a, b; };
struct mixed { double d; long n; };
struct large { long v[5]; };
struct floats { float x, y, z; };
struct node {
    int key;
    unsigned flag : 3;
    signed level : 5;
    enum color color;
    struct node *next;
    const char *name;
    short grid[2][3];
    union { int i; float f; };
};
typedef struct node node_t;

node_t first, second;
int numbers[10];
static unsigned char bytes[4] = {1, 2, 250, 255};
unsigned long long big = 0xfedcba9876543210ull;
double ratio = 1.5;
_Thread_local int per_thread = 77;
char word[16] = "hello";
int (*callback)(int);

__attribute__((noinline)) int twice(int x) {
    __asm__ volatile("");
    return 2 * x;
}
__attribute__((noinline)) long scalars(int i, char c, unsigned short s, long l, double d, float f,
                                       const char *text, unsigned char *p, long seventh, char eighth) {
    __asm__ volatile("" : : : "memory");
    return i + c + s + l + (long)d + (long)f + text[0] + p[0] + seventh + eighth;
}
__attribute__((noinline)) long structures(struct pair p, struct mixed m, struct large big, struct floats f,
                                          struct pair *q) {
    __asm__ volatile("" : : : "memory");
    return p.a + p.b + (long)m.d + m.n + big.v[4] + (long)(f.x + f.y + f.z) + q->b;
}
__attribute__((noinline)) struct pair make_pair(int a, int b) {
    __asm__ volatile("");
    struct pair p = {a, b};
    return p;
}
__attribute__((noinline)) struct large make_large(int x) {
    struct large l = {{x, x + 1, x + 2, x + 3, x + 4}};
    __asm__ volatile("" : : : "memory");
    return l;
}
__attribute__((noinline)) double halve(double d) {
    __asm__ volatile("");
    return d / 2;
}
__attribute__((noinline)) long double third(long double d) {
    __asm__ volatile("");
    return d / 3;
}
__attribute__((noinline)) int depth3(int n) {
    int local = n * 10;
    int r = twice(local);
    __asm__ volatile("" : : "r"(local) : "memory");
    return r + local;
}
__attribute__((noinline)) int depth2(node_t *list, int n) {
    int here = n + 1;
    int r = depth3(here);
    __asm__ volatile("" : : "r"(here), "r"(list) : "memory");
    return r + here + list->key;
}
static inline __attribute__((always_inline)) int folded(int z) { return z * z + 1; }
__attribute__((noinline)) int depth1(int n) {
    int total = 0;
    for (int i = 0; i < 2; i++) {
        int inner = n + i;
        total += depth2(&first, inner) + folded(inner);
    }
    return total;
}

int main(void) {
    first = (node_t){.key = 41, .flag = 5, .level = -3, .color = GREEN, .next = &second, .name = "one"};
    first.grid[1][2] = 7;
    first.i = 1078530011;
    second = (node_t){.key = 42, .name = "two", .color = BLUE};
    for (int i = 0; i < 10; i++) numbers[i] = i * i;
    callback = twice;
    long sum = scalars(-1, 'x', 65535, 1L << 40, 2.5, 0.25f, "text", bytes, 1234567, -7);
    struct pair p = {3, 4}, q = {5, 6};
    struct mixed m = {0.5, -9};
    struct large l = {{1, 2, 3, 4, 5}};
    struct floats f = {1, 2, 3};
    sum += structures(p, m, l, f, &q);
    struct pair made = make_pair(8, 9);
    struct large ml = make_large(100);
    sum += made.b + ml.v[4] + (long)halve(9.0) + (long)third(9.0L) + callback(2);
    sum += depth1(per_thread - 70);
    printf("%ld\n", sum);
    return 0;
}
