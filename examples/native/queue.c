// A bounded queue, its producers and its consumers. One producer delivers a batch without looking
// whether there is room: the push that overflows the queue is the bug. Which producer that is, and
// what it pushes, is for a debugger to find out.
//
//   cc -g -O1 -pthread queue.c -o queue
//   watchword run -p queue.ww -- ./queue 5 20 3

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct queue {
    int capacity;
    int count;
    int *items;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} queue_t;

__attribute__((noinline)) queue_t *queue_new(int capacity) {
    queue_t *q = calloc(1, sizeof *q);
    q->capacity = capacity;
    q->items = calloc((size_t)capacity + 64, sizeof *q->items);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    return q;
}

__attribute__((noinline)) void queue_push(queue_t *q, int item) {
    q->items[q->count++] = item;
}

__attribute__((noinline)) int queue_pop(queue_t *q) {
    return q->items[--q->count];
}

static queue_t *shared;
static int per_producer = 50;
static int producers = 5, consumers = 20;
static int left;
static int guilty = -1;

static void *produce(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; i < per_producer; i++) {
        pthread_mutex_lock(&shared->lock);
        while (shared->count >= shared->capacity)
            pthread_cond_wait(&shared->changed, &shared->lock);
        queue_push(shared, me * 1000 + i);
        // The guilty one has more where that came from, and does not look again.
        if (me == guilty && i == per_producer / 2)
            for (int k = 1; k <= shared->capacity; k++, left++)
                queue_push(shared, me * 1000 + 500 + k);
        pthread_cond_broadcast(&shared->changed);
        pthread_mutex_unlock(&shared->lock);
    }
    return NULL;
}

static void *consume(void *arg) {
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&shared->lock);
        while (shared->count == 0 && left > 0)
            pthread_cond_wait(&shared->changed, &shared->lock);
        if (left == 0) {
            pthread_mutex_unlock(&shared->lock);
            return NULL;
        }
        left--;
        queue_pop(shared);
        pthread_cond_broadcast(&shared->changed);
        pthread_mutex_unlock(&shared->lock);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) producers = atoi(argv[1]);
    if (argc > 2) consumers = atoi(argv[2]);
    if (argc > 3) guilty = atoi(argv[3]);
    left = producers * per_producer;
    shared = queue_new(4);
    pthread_t *threads = calloc((size_t)(producers + consumers), sizeof *threads);
    for (int i = 0; i < producers; i++)
        pthread_create(&threads[i], NULL, produce, (void *)(long)i);
    for (int i = 0; i < consumers; i++)
        pthread_create(&threads[producers + i], NULL, consume, NULL);
    for (int i = 0; i < producers + consumers; i++)
        pthread_join(threads[i], NULL);
    printf("%d producers, %d consumers, all done\n", producers, consumers);
    return 0;
}
