// Values of the kinds that people look at and change.
#include <cstdio>

enum class Kind : unsigned char { Small = 1, Large = 200 };

struct Point {
    int x, y;
};

int numbers[1000000];
char text[2000000];
struct Wide {
    int first;
    char middle[2000000];
    int last;
} wide;

double half(int n) { return n / 2.0; }
Point corner(int n) { return Point{n, n}; }
bool is_even(const int &n) { return n % 2 == 0; }
int grow(double by) { return (int)by; }

int main(int argc, char **argv) {
    Point point{3, 4}, *here = &point;
    int count = 7;
    int &alias = count;
    bool no = false, &never = no;
    Point *&pointer = here;
    Point &same = point;
    char name[8] = "ada";
    double ratio = 2.5;
    Kind kind = Kind::Large;
    int (*chosen)(double) = nullptr;
    for (int i = 0; i < 1000000; i++) numbers[i] = i;
    for (int i = 0; i < 1999999; i++) text[i] = 'a' + i % 26;
    wide.first = 1;
    wide.last = 9;
    std::printf("%d %s %d\n", alias + same.x + (never ? 1 : 0), argc > 1 ? argv[1] : "", argc);
    return chosen ? chosen(ratio) : pointer->x - 3 + (kind == Kind::Small) + (name[0] == 0);
}
