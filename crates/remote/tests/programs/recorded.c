// A queue that overflows, in a program that is the same bytes everywhere: no library, a stack of its own.
// Sessions with it were recorded; recorded.s is what they and their replays are made of:
//
//   gcc -S -g -O0 -ffreestanding -fno-pie -fno-stack-protector -fcf-protection=none recorded.c
//
// GCC 12 made it; the folder in it is called /recorded.

static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

struct queue {
    int capacity;
    int count;
    int items[8];
};

static struct queue shared;
volatile int total;

__attribute__((noinline)) struct queue *queue_new(int capacity) {
    shared.capacity = capacity;
    return &shared;
}

__attribute__((noinline)) void queue_push(struct queue *q, int item) {
    q->items[q->count++] = item;
    total += item;
}

__attribute__((noinline)) int queue_pop(struct queue *q) {
    return q->items[--q->count];
}

__attribute__((used)) void begin(void) {
    struct queue *q = queue_new(3);
    for (int i = 0; i < 7; i++) {
        queue_push(q, i);
        if (i % 2) queue_pop(q);
    }
    call(1, 1, (long)"all done\n", 9);
    call(231, 4, 0, 0);
    for (;;) {
    }
}

// The stack is where it always is.
__asm__(".lcomm stack, 65536\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "lea stack+65536(%rip), %rsp\n"
        "xor %ebp, %ebp\n"
        "call begin\n"
        ".size _start, .-_start\n");
