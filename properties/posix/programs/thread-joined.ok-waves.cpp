/* Waves of threads of C++, some of them detached. */
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
    std::atomic<int> sum{0};
    for (int wave = 0; wave < 5; wave++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back([&] { sum++; });
        for (auto &t : threads)
            t.join();
        std::thread([&] { sum++; }).detach();
        while (sum < 5 * (wave + 1))
            std::this_thread::yield();
    }
    std::printf("%d\n", sum.load());
}
