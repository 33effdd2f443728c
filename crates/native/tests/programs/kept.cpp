// A function that changes all objects it gets.
#include <optional>
#include <string>
#include <vector>

using Texts = std::vector<std::string>;

__attribute__((noinline, noipa)) int kept(std::string s, Texts v, std::optional<int> o) {
    s = "something else";
    std::string taken = std::move(v[0]);
    v = {"nothing"};
    o = 99;
    return s.size() + taken.size() + *o;
}

int main() {
    std::string text = "a text that is too long for the object itself";
    kept("short", {"one", "two"}, 5);
    kept(text, {text, ""}, std::nullopt);
}
