/* Functions on a destroyed semaphore. */
#include "clause.h"
#include <semaphore.h>

int main(int argc, char **argv) {
    struct timespec limit = soon();
    int value;
    sem_t s;
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    ON(sem_wait, sem_wait(&s))
    ON(sem_trywait, sem_trywait(&s))
    ON(sem_timedwait, sem_timedwait(&s, &limit))
    ON(sem_clockwait, sem_clockwait(&s, CLOCK_REALTIME, &limit))
    ON(sem_post, sem_post(&s))
    ON(sem_getvalue, sem_getvalue(&s, &value))
    END;
}
