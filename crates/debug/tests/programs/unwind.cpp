// Exceptions leave traced frames; the same call sites are used again afterwards.
#include <cstdio>
#include <stdexcept>

struct Guard {
    int *where;
    ~Guard() { ++*where; }
};

__attribute__((noinline)) int risky(int n) {
    if (n % 3 == 0) throw std::runtime_error("three");
    return n * 2;
}

__attribute__((noinline)) int middle(int n, int *cleanups) {
    Guard g{cleanups};
    int r = risky(n);
    asm volatile("");
    return r + 1;
}

struct Shape {
    virtual int draw(int n) = 0;
    virtual ~Shape() {}
};
struct Circle : Shape {
    __attribute__((noinline)) int draw(int n) override { throw n; }
};
struct Square : Shape {
    __attribute__((noinline)) int draw(int n) override { return n + 4; }
};

// Throws from the bottom, caught half-way up: frames with the same return address are left.
__attribute__((noinline)) int climb(int n) {
    if (n == 0) throw n;
    int r = 0;
    if (n == 3) {
        try {
            r = climb(n - 1);
        } catch (int) {
            r = 100;
        }
    } else {
        r = climb(n - 1);
    }
    asm volatile("");
    return r + 1;
}

int main() {
    int sum = 0, caught = 0, cleanups = 0;
    for (int i = 0; i < 9; i++) {
        try {
            sum += middle(i, &cleanups);
        } catch (const std::exception &e) {
            caught++;
        }
    }
    sum += climb(6);
    Circle c;
    Square s;
    Shape *shapes[] = {&c, &s, &c, &c, &s};
    for (Shape *shape : shapes) {
        try {
            sum += shape->draw(1);
        } catch (int n) {
            caught += 10;
        }
    }
    std::printf("%d %d %d\n", sum, caught, cleanups);
    return 0;
}
