// Calls of many shapes, whose events must be the same however they come about.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

struct node { struct node *next; int value; char tag; short size; long total; };

__attribute__((noinline)) int tick(int who, long n) { __asm__ volatile(""); return (int)(who * 3 + n % 7); }
__attribute__((noinline)) void nothing(void) { __asm__ volatile(""); }
__attribute__((noinline)) double scaled(double x, float y, int n) { return x * y + n; }
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g) {
  return a + b + c + d + e + f + g;
}
__attribute__((noinline)) int look(struct node *n) { return (long)n > 4096 ? n->value : -1; }
__attribute__((noinline)) void fill(int *out, int n) { *out = n * n; }
__attribute__((noinline)) int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
__attribute__((noinline)) int last(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline)) int first(int n) { __asm__ volatile(""); return last(n * 2); }
static jmp_buf out;
__attribute__((noinline)) void leave(int n) { __asm__ volatile(""); longjmp(out, n); }
__attribute__((noinline)) int leaves(int n) { leave(n); return 0; }
static volatile int signals;
__attribute__((noinline)) void handled(int s) { signals += s != 0; __asm__ volatile(""); }
static void on_signal(int s) { handled(s); }

static void *worker(void *arg) {
  long who = (long)arg;
  for (long i = 0; i < 300; i++) tick((int)who, i);
  return NULL;
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 20;
  long sum = 0;
  struct node b = {NULL, 7, 'x', -3, 1L << 40}, a = {&b, 5, 'y', 4, -9};
  for (long i = 0; i < rounds; i++) {
    sum += tick(1, i);
    nothing();
    sum += (long)scaled(1.5 * i, 2.0f, (int)i);
    sum += many(1, 2, 3, 4, 5, 6, i);
    sum += look(i % 3 == 0 ? NULL : &a);
    int x = 0;
    fill(&x, (int)i);
    sum += x + depth((int)(i % 5)) + first((int)i);
    int n = setjmp(out);
    if (n == 0) leaves((int)i + 1);
    sum += n;
  }
  look((struct node *)16);
  pthread_t threads[4];
  for (long t = 0; t < 4; t++) pthread_create(&threads[t], NULL, worker, (void *)(t + 10));
  for (int t = 0; t < 4; t++) pthread_join(threads[t], NULL);
  // Signals while calls are written down.
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  long ticks = 0;
  while (signals < 100) { tick(2, ticks % 7); ticks++; }
  setitimer(ITIMER_REAL, &never, NULL);
  // Children are nobody's business.
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) { for (int i = 0; i < 10; i++) tick(3, i); _exit(0); }
  int status;
  waitpid(child, &status, 0);
  child = vfork();
  if (child == 0) { for (int i = 0; i < 10; i++) tick(4, i); _exit(0); }
  waitpid(child, &status, 0);
  char *args[] = {"true", NULL};
  if (posix_spawnp(&child, "true", NULL, NULL, args, environ) == 0) waitpid(child, &status, 0);
  tick(5, 5);
  printf("%ld %d\n", sum, status);
  return 3;
}
