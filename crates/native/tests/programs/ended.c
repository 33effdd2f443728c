/* Objects that are used a hundred times each; one of them, which was ended, only once. */
__attribute__((noinline)) long ended(long *object) {
    __asm__ volatile("" ::: "memory");
    return *object + 1;
}

__attribute__((noinline)) long used(long *object) {
    __asm__ volatile("" ::: "memory");
    return *object + 2;
}

/* Whatever follows in the file, so that `used` is not the last function of the section. */
__attribute__((noinline)) long other(long n) {
    __asm__ volatile("" ::: "memory");
    return n * 7 + 3;
}

int main(void) {
    static long objects[8];
    long sum = ended(&objects[0]);
    for (int round = 0; round < 100; round++)
        for (int i = 1; i < 8; i++)
            sum += used(&objects[i]);
    sum += used(&objects[0]);
    return other(sum) == 0;
}
