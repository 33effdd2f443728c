/* A library with a variable. */
int level;

void set_level(int n) {
    volatile int twice;
    twice = 2 * n;
    level = twice / 2;
}
