/* Accesses of all kinds to watched memory, in a known order. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile long cell = 100;
volatile int many[16];
char wide[3 * 4096] __attribute__((aligned(4096)));
char other[4096] __attribute__((aligned(4096)));
long *volatile self;

#define ACCESS(name, code) \
    __attribute__((naked, noinline)) void name(volatile long *p) { __asm__(code "\n ret"); }
ACCESS(load, "movq (%rdi), %rax")
ACCESS(load_over, "movq (%rdi), %rdi")
ACCESS(load_byte, "movzbl (%rdi), %eax")
ACCESS(compare, "cmpq $5, (%rdi)")
ACCESS(store, "movq $7, (%rdi)")
ACCESS(store_same, "movq $7, (%rdi)")
ACCESS(store_byte, "movb $9, (%rdi)")
ACCESS(increment, "incq (%rdi)")
ACCESS(exchange, "movl $3, %eax\n xchgq %rax, (%rdi)")
ACCESS(string_store, "movl $1, %ecx\n movl $4, %eax\n rep stosq")
ACCESS(push_load, "pushq (%rdi)\n popq %rax")
ACCESS(vector_store, "pxor %xmm0, %xmm0\n movq %xmm0, (%rdi)")

__attribute__((noinline)) void ready(void) { __asm__ volatile(""); }

static void *work(void *arg) {
    for (int i = 0; i < 50; i++) {
        many[(long)arg]++;
        other[(long)arg]++;
        cell += 1;
        usleep(10);
    }
    return NULL;
}

int main(int argc, char **argv) {
    ready();
    volatile long *p = &cell;
    load(p);
    load_over(p);
    load_byte(p);
    compare(p);
    store(p);
    store_same(p);
    store_byte(p);
    increment(p);
    exchange(p);
    string_store(p);
    push_load(p);
    vector_store(p);
    printf("cell %ld\n", cell);
    fflush(stdout);
    ready();
    wide[4096 + 10] = 'x';
    memset(wide + 100, 'y', 20);
    memcpy(wide + 8000, wide + 100, 20);
    other[5] = 1;
    int fds[2];
    if (pipe(fds) || write(fds[1], "0123456789", 10) != 10) return 1;
    if (read(fds[0], wide + 200, 10) != 10) return 2;
    if (write(1, wide + 200, 10) != 10) return 3;
    write(1, "\n", 1);
    ready();
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    long sum = 0;
    for (int i = 0; i < 4; i++) sum += many[i] + other[i];
    printf("sum %ld %d\n", sum, wide[4096 + 10] + wide[110] + wide[8010]);
    return 6;
}
