#include "tests/gpu/standin/grid.h"

#include <xmmintrin.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/gpu/standin/settings.h"

namespace millrace::cuda::standin {
namespace {

// CUDA threads from which on a kernel is shared by threads of the machine.
constexpr uint64_t kShared = 4096;

BlockRunner& RunnerOfThread() {
  thread_local BlockRunner runner;
  return runner;
}

struct Job {
  const Launch& launch;
  const uint64_t blocks;
  std::atomic<uint64_t> next{0};
  std::atomic<int> error{0};
};

void RunBlocks(Job& job) {
  // GPUs keep denormal numbers; the thread may have been made by one that does
  // not.
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x1f80);
  const StandInDim& grid = job.launch.grid;
  for (;;) {
    const uint64_t number = job.next++;
    if (number >= job.blocks || job.error != 0) break;
    const StandInDim block = {static_cast<unsigned>(number % grid.x),
                              static_cast<unsigned>(number / grid.x % grid.y),
                              static_cast<unsigned>(number / grid.x / grid.y)};
    const int error = RunnerOfThread().Run(job.launch, block);
    int none = 0;
    if (error != 0) job.error.compare_exchange_strong(none, error);
  }
  _mm_setcsr(before);
}

// Threads that help with blocks of large kernels. Lives as long as the process.
class Helpers {
 public:
  explicit Helpers(int count) : count_(count) {
    for (int i = 0; i < count; ++i) std::thread([this] { Loop(); }).detach();
  }

  void Run(Job& job) {
    Entry entry{&job, count_, 0};
    {
      const std::lock_guard<std::mutex> lock(mu_);
      jobs_.push_back(&entry);
    }
    work_.notify_all();
    RunBlocks(job);
    std::unique_lock<std::mutex> lock(mu_);
    // Those that have not begun need not.
    for (auto it = jobs_.begin(); it != jobs_.end(); ++it) {
      if (*it == &entry) {
        jobs_.erase(it);
        break;
      }
    }
    ended_.wait(lock, [&] { return entry.running == 0; });
  }

 private:
  struct Entry {
    Job* job;
    int wanted, running;
  };

  void Loop() {
    std::unique_lock<std::mutex> lock(mu_);
    for (;;) {
      work_.wait(lock, [&] { return !jobs_.empty(); });
      Entry* entry = jobs_.front();
      ++entry->running;
      if (--entry->wanted == 0) jobs_.pop_front();
      lock.unlock();
      RunBlocks(*entry->job);
      lock.lock();
      if (--entry->running == 0) ended_.notify_all();
    }
  }

  const int count_;
  std::mutex mu_;
  std::condition_variable work_, ended_;
  std::deque<Entry*> jobs_;
};

}  // namespace

int RunGrid(const Launch& launch) {
  Job job{launch,
          static_cast<uint64_t>(launch.grid.x) * launch.grid.y * launch.grid.z};
  const uint64_t threads =
      job.blocks * launch.block.x * launch.block.y * launch.block.z;
  const int helpers = GetSettings().threads - 1;
  if (helpers > 0 && job.blocks > 1 && threads >= kShared) {
    static Helpers* const all = new Helpers(helpers);
    all->Run(job);
  } else {
    RunBlocks(job);
  }
  return job.error;
}

}  // namespace millrace::cuda::standin
