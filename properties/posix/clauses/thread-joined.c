/* A thread is joined again. */
#include "clause.h"
#include <pthread.h>

static void *nothing(void *argument) { return argument; }

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_detach(thread);
    ON(pthread_join, pthread_join(thread, NULL))
    END;
}
