// Objects that are deleted, and one that goes with its function.
#include <cstdio>

struct Base {
    virtual ~Base();
};

struct Derived : Base {
    ~Derived() override;
};

__attribute__((noinline)) Base::~Base() { putchar('B'); }
__attribute__((noinline)) Derived::~Derived() { putchar('D'); }

__attribute__((noinline)) static void destroy(Base *object) { delete object; }

int main() {
    for (int i = 0; i < 3; i++)
        destroy(new Base);
    for (int i = 0; i < 2; i++)
        destroy(new Derived);
    Base here;
    return 0;
}
