// Calls a function of a library.
#include <optional>
#include <string>

namespace shop {
int price(std::string name, std::optional<int> amount);
}

int main() { return shop::price("apple", 7) != 12; }
