/* Threads tell a third one who they are, which joins them before their creation has returned: their numbers are those
   of threads that were joined before. */
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 100 };

static pthread_t told;
static atomic_int is_told, joined;

static void *work(void *unused) {
    told = pthread_self();
    atomic_store(&is_told, 1);
    return NULL;
}

static void *join(void *unused) {
    while (atomic_load(&joined) < THREADS) {
        if (atomic_load(&is_told)) {
            pthread_join(told, NULL);
            atomic_store(&is_told, 0);
            atomic_fetch_add(&joined, 1);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t joiner;
    pthread_create(&joiner, NULL, join, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_t t;
        pthread_create(&t, NULL, work, NULL);
        while (atomic_load(&joined) == i)
            ;
    }
    pthread_join(joiner, NULL);
    return 0;
}
