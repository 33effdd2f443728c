// A text in an array that is too large to be read whole, and an enumerator that fills its byte.
#include <cstring>

enum class Kind : unsigned char { Small = 1, Large = 200 };
char text[2000000];
Kind kind = Kind::Large;

extern "C" __attribute__((noinline)) void look() { asm volatile(""); }

int main() {
    std::strcpy(text, "all of it");
    look();
}
