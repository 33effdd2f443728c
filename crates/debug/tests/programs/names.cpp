// Namespaces, overloads, templates, members, references, inheritance.
#include <cstdio>
#include <string>

namespace shop {
struct Base {
    int id = 7;
    virtual ~Base() {}
};
class Queue : public Base {
  public:
    int size = 0;
    long items[4] = {};
    __attribute__((noinline)) void push(int v) {
        items[size & 3] = v;
        size++;
    }
    __attribute__((noinline)) void push(double v) {
        items[size & 3] = (long)v;
        size++;
    }
    __attribute__((noinline)) static int limit() {
        asm volatile("");
        return 4;
    }
};
int counter = 3;
}  // namespace shop

template <typename T> __attribute__((noinline)) T largest(T a, T b) {
    asm volatile("");
    return a < b ? b : a;
}
__attribute__((noinline)) int by_reference(shop::Queue &q, const std::string s) {
    asm volatile("" : : : "memory");
    return q.size + (int)s.size();
}

int main() {
    shop::Queue q;
    q.push(5);
    q.push(2.5);
    int r = by_reference(q, "four") + shop::Queue::limit() + largest(1, 2) + (int)largest(1.5, 0.5);
    std::printf("%d %d\n", r, shop::counter);
    return 0;
}
