// TaskQueue: somewhere to run a task, and its implementations.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"

namespace millrace {

class TaskQueue {
 public:
  using Task = absl::AnyInvocable<void()>;
  virtual ~TaskQueue() = default;
  // Runs `task` once, some time, on some thread. Thread-safe but for an
  // InlineQueue.
  virtual void Schedule(Task task) = 0;
  // How many tasks can run at the same time.
  virtual int width() const = 0;
  // Tasks that wait to be run: whether to make room, and for status pages.
  virtual int64_t queued() const = 0;
};

// Runs tasks in order on the thread that calls RunAll. For tests; one thread.
class InlineQueue final : public TaskQueue {
 public:
  void Schedule(Task task) override { tasks_.push_back(std::move(task)); }
  int width() const override { return 1; }
  int64_t queued() const override {
    return static_cast<int64_t>(tasks_.size());
  }
  // Runs the oldest task; false if there is none.
  bool RunOne();
  // Runs until nothing is left, tasks scheduled meanwhile included. Returns
  // how many ran.
  int RunAll();
  size_t size() const { return tasks_.size(); }

 private:
  std::deque<Task> tasks_;
};

struct ThreadPoolOptions {
  int threads = 1;
  // Tasks that may wait; 0: no bound.
  int max_queued = 0;
  // Set flush-to-zero on the threads, as kernels need it.
  bool flush_denormals = false;
};

// A fixed number of threads, each started when a task finds none idle. Tasks
// start roughly in order; none waits for ever, whatever others schedule. A task
// must not throw. Thread-safe.
class ThreadPool final : public TaskQueue {
 public:
  ThreadPool(absl::string_view name, int threads)
      : ThreadPool(name, ThreadPoolOptions{.threads = threads}) {}
  ThreadPool(absl::string_view name, const ThreadPoolOptions& options);
  // Runs what is queued, then joins. Nobody else schedules any more; tasks
  // may.
  ~ThreadPool() override;

  // With a bound: waits for room, except on the pool's own threads.
  void Schedule(Task task) override;
  // RESOURCE_EXHAUSTED, task dropped, if the queue is full.
  Status TrySchedule(Task task);
  int width() const override { return options_.threads; }
  int64_t queued() const override {
    return pending_.load(std::memory_order_relaxed);
  }
  // Threads that run a task or are about to.
  int awake() const {
    return started_.load(std::memory_order_relaxed) -
           sleeping_.load(std::memory_order_relaxed);
  }
  // Whether the calling thread is one of this pool.
  bool IsPoolThread() const;

 private:
  struct Shard;
  void Push(Task task);
  bool Pop(int preferred, Task& task);
  void Loop(int index);
  void StartThread();

  const std::string name_;
  const ThreadPoolOptions options_;
  const int process_;  // of a simulation: where the threads belong
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<uint32_t> next_shard_{0};
  std::atomic<int64_t> pending_{0};
  std::atomic<int32_t> sleeping_{0};
  std::atomic<int32_t> started_{0};
  Mutex mu_;  // guards all below; taken after no shard's
  CondVar work_;
  CondVar room_;
  int signals_ = 0;  // wake-ups on their way
  std::atomic<int32_t> room_waiters_{0};
  bool stopping_ = false;
  std::vector<Thread> threads_;
};

}  // namespace millrace
