// Classes with methods, virtual ones too, templates, and functions that share a name.
namespace ns {
int x = 5;
int twice(int a) { return 2 * a; }
double twice(double a) { return 2 * a; }
struct S {
    static int count;
    int value;
};
int S::count = 3;
}
int x = 1;

struct Base {
    int inherited = 10;
    virtual ~Base() {}
    virtual int which() { return 1; }
    int base_only(int by) { return inherited + by; }
};
struct Derived : Base {
    int added = 20;
    int which() override { return 2; }
    int own() { return inherited + added; }
};
template <class T> struct Box {
    T value;
    T get() { return value; }
};
int take(const int &by) { return by + 1; }
void stop_here() {}

int main() {
    int x = 2;
    Derived derived;
    Base *base = &derived;
    Box<int> box{7};
    ns::S object{8};
    stop_here();
    return ns::twice(1) + (int)ns::twice(1.5) + base->which() + derived.own() + box.get() +
                   derived.base_only(1) + take(x) + object.value + ns::S::count + ::x + ns::x >
               0
           ? 0
           : 1;
}
