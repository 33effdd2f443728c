// Frames that are left in every way there is.
#include <csetjmp>
#include <cstdio>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

static int destroyed;
// Functions that certainly do not return have their handlers where they would return to.
static volatile int forever = 1;
struct Guard {
  int n;
  explicit Guard(int n) : n(n) {}
  ~Guard() { destroyed += n; }
};

extern "C" __attribute__((noinline)) int thrower(int n) {
  Guard g(1);
  if (n % 2) throw std::runtime_error(std::to_string(n));
  return n;
}
extern "C" __attribute__((noinline)) int middle(int n) {
  Guard g(2);
  return thrower(n) + 1;
}
extern "C" __attribute__((noinline)) int rethrower(int n) {
  try {
    return middle(n);
  } catch (std::exception &e) {
    Guard g(4);
    throw;
  }
}
extern "C" __attribute__((noinline)) int catcher(int n) {
  try {
    return rethrower(n);
  } catch (std::runtime_error &e) {
    return -std::stoi(e.what());
  }
}
static jmp_buf out;
extern "C" __attribute__((noinline)) int jumper(int n) {
  if (n % 3 == 0) longjmp(out, n + 1);
  return n;
}
extern "C" __attribute__((noinline)) int sleeper(int n) {
  Guard g(100);
  while (forever) usleep(1000 * n);
  return n;
}
static void *cancelled(void *) {
  Guard g(1000);
  sleeper(1);
  return nullptr;
}
extern "C" __attribute__((noinline)) int leaver(int n) {
  Guard g(10000);
  if (forever) pthread_exit(reinterpret_cast<void *>(static_cast<long>(n)));
  return n;
}
static void *exiting(void *) {
  leaver(7);
  return nullptr;
}

int main() {
  long sum = 0;
  for (int i = 0; i < 50; i++) {
    sum += catcher(i);
    int n = setjmp(out);
    if (n == 0) sum += jumper(i);
    sum += n;
  }
  for (int i = 0; i < 5; i++) {
    pthread_t t;
    pthread_create(&t, nullptr, cancelled, nullptr);
    usleep(2000);
    pthread_cancel(t);
    pthread_join(t, nullptr);
    void *result;
    pthread_create(&t, nullptr, exiting, nullptr);
    pthread_join(t, &result);
    sum += reinterpret_cast<long>(result);
  }
  std::printf("%ld %d\n", sum, destroyed);
  return 0;
}
