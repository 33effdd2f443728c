/* Objects that are changed by functions whose variables are called as a property calls its objects. */
#include <stdlib.h>
typedef struct { long count; } queue_t;
__attribute__((noinline)) queue_t *queue_new(void) { return calloc(1, sizeof(queue_t)); }
__attribute__((noinline)) void push(queue_t *self, void *q) {
    if (q) self->count++;
}
__attribute__((noinline)) void push_other(queue_t *other, queue_t *q) {
    if (q) other->count++;
}
int main(void) {
    queue_t *a = queue_new(), *b = queue_new();
    push(a, &a);
    push_other(b, a);
    push_other(b, a);
    push_other(b, a);
    return a->count == 1 && b->count == 3 ? 0 : 1;
}
