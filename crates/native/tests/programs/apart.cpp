// Functions of C++ whose debug information may be in another file, and values that are in registers.
#include <optional>
#include <string>

#define KEPT __attribute__((noinline, noipa, visibility("default")))

struct Bits {
    unsigned a : 3, b : 5;
    int c : 10;
};

struct __attribute__((packed)) Packed {
    unsigned char a;
    unsigned b : 3, c : 14;
    unsigned char d;
};

namespace shop {
KEPT int price(std::string name, std::optional<int> amount) { return name.size() + amount.value_or(1); }
}
KEPT int bits(Bits x, Packed y) { return x.c + y.c; }

#ifndef LIBRARY
int main() {
    shop::price("apple", 7);
    shop::price("pear", std::nullopt);
    return bits({5, 30, -200}, {1, 5, 9999, 3}) != 9799;
}
#endif
