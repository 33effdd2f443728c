/* Recursion, tail calls, calls through pointers, many kinds of first instructions. */
#include <stdio.h>
#include <stdlib.h>

int counter;

__attribute__((noinline)) long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__attribute__((noinline)) long leaf(long n) {
    __asm__ volatile("");
    return n + 1;
}

__attribute__((noinline)) long tail(long n) {
    __asm__ volatile("");
    return leaf(n * 2);
}

__attribute__((noinline)) long deep(long n) { return n == 0 ? 0 : 1 + deep(n - 1); }

/* First instruction refers to memory relative to the program counter. */
__attribute__((naked, noinline)) int relative(void) {
    __asm__("movl counter(%rip), %eax\n ret");
}
/* First instruction is a call. */
__attribute__((noinline)) int one(void) {
    __asm__ volatile("");
    return 1;
}
__attribute__((naked, noinline)) int calling(void) { __asm__("call one\n inc %eax\n ret"); }
/* First instruction is a conditional jump, taken or not. */
__attribute__((naked, noinline)) int jumping(int x) {
    __asm__("jrcxz 1f\n mov $1, %eax\n ret\n 1: mov $2, %eax\n ret");
}
__attribute__((naked, noinline)) int jumping2(int x) {
    __asm__("loop 1f\n mov $5, %eax\n ret\n 1: mov $6, %eax\n ret");
}
/* First instruction is a return. */
__attribute__((naked, noinline)) void nothing(void) { __asm__("ret"); }
/* First instruction is a repeated string operation. */
__attribute__((naked, noinline)) void fill(void *to, int c, long n) {
    __asm__("rep stosb\n ret");
}
static void fill_with(void *to, int c, long n) {
    __asm__ volatile("call fill" : "+D"(to), "+c"(n) : "a"(c) : "memory");
}

long (*volatile pointer)(long) = leaf;

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 3;
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
        counter = (int)i;
        sum += fib(6) + tail(i) + pointer(i) + deep(20) + relative() + calling();
        int r;
        __asm__ volatile("call jumping" : "=a"(r) : "c"(i % 2L) : "memory");
        sum += r;
        long rcx = 1 + i % 2;
        __asm__ volatile("call jumping2" : "=a"(r), "+c"(rcx) : : "memory");
        sum += r;
        nothing();
        char buffer[64];
        fill_with(buffer, 'x', sizeof buffer);
        sum += buffer[63];
    }
    printf("sum %ld\n", sum);
    fflush(stdout);
    return (int)(sum & 0x7f);
}
