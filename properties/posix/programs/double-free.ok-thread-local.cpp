/* Thread-local objects are destroyed when their thread ends, and give back memory then. */
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

static thread_local std::map<int, std::string> mine;

static void work() {
    for (int i = 0; i < 20; i++)
        mine[i] = std::string(100 + i, 'x');
    std::vector<std::string> other(10, std::string(60, 'y'));
}

int main() {
    for (int wave = 0; wave < 4; wave++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; i++)
            threads.emplace_back(work);
        for (auto &t : threads)
            t.join();
    }
    std::puts("done");
}
