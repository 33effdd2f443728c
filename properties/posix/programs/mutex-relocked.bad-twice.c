/* A thread locks a normal mutex that it holds; an alarm ends the program. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void over(int number) { _exit(number != SIGALRM); }

int main(void) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    signal(SIGALRM, over);
    alarm(1);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
