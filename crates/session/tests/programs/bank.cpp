// Classes with constructors, and methods that name their members.
#include <string>

int total = 1;

struct Account {
    std::string owner;
    int balance;
    Account(std::string o) : owner(o), balance(0) {}
    void deposit(int amount) { balance += amount; }
};

struct Savings : Account {
    int total = 100;
    Savings() : Account("ada") {}
    void add(int amount) {
        deposit(amount);
        total += amount;
    }
};

int main() {
    Savings savings;
    savings.add(7);
    return savings.total == 107 ? 0 : 1;
}
