// TaskQueue: an interface that runs tasks, and its implementations.
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
  // Runs `task` once, later, on some thread. Thread-safe except for an
  // InlineQueue.
  virtual void Schedule(Task task) = 0;
  // Returns how many tasks can run at the same time.
  virtual int width() const = 0;
  // Returns the number of tasks that wait to run, to apply back-pressure and
  // for status pages.
  virtual int64_t queued() const = 0;
};

// Runs tasks in order on the thread that calls RunAll. For tests; for one
// thread.
class InlineQueue final : public TaskQueue {
 public:
  void Schedule(Task task) override { tasks_.push_back(std::move(task)); }
  int width() const override { return 1; }
  int64_t queued() const override {
    return static_cast<int64_t>(tasks_.size());
  }
  // Runs the oldest task; returns false if there is none.
  bool RunOne();
  // Runs until no tasks are left, including tasks scheduled meanwhile. Returns
  // how many ran.
  int RunAll();
  size_t size() const { return tasks_.size(); }

 private:
  std::deque<Task> tasks_;
};

struct ThreadPoolOptions {
  int threads = 1;
  // The limit on waiting tasks; 0: no limit.
  int max_queued = 0;
  // Sets flush-to-zero on the threads, as kernels need it.
  bool flush_denormals = false;
};

// A fixed number of threads, each started when a task finds none idle. Tasks
// start roughly in order, and none waits for ever, whatever else is scheduled.
// A task must not throw. Thread-safe.
class ThreadPool final : public TaskQueue {
 public:
  ThreadPool(absl::string_view name, int threads)
      : ThreadPool(name, ThreadPoolOptions{.threads = threads}) {}
  ThreadPool(absl::string_view name, const ThreadPoolOptions& options);
  // Runs the queued tasks, then joins the threads. Requires: only the tasks
  // themselves still call Schedule.
  ~ThreadPool() override;

  // Blocks until the queue has room if it is bounded, except on the pool's own
  // threads.
  void Schedule(Task task) override;
  // Returns RESOURCE_EXHAUSTED and drops the task if the queue is full.
  Status TrySchedule(Task task);
  int width() const override { return options_.threads; }
  int64_t queued() const override {
    return pending_.load(std::memory_order_relaxed);
  }
  // Returns the number of threads that run a task or are about to.
  int awake() const {
    return started_.load(std::memory_order_relaxed) -
           sleeping_.load(std::memory_order_relaxed);
  }
  // Returns whether the calling thread belongs to this pool.
  bool IsPoolThread() const;

 private:
  struct Shard;
  void Push(Task task);
  bool Pop(int preferred, Task& task);
  void Loop(int index);
  void StartThread();

  const std::string name_;
  const ThreadPoolOptions options_;
  const int process_;  // the simulated process that the threads belong to
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<uint32_t> next_shard_{0};
  std::atomic<int64_t> pending_{0};
  std::atomic<int32_t> sleeping_{0};
  std::atomic<int32_t> started_{0};
  Mutex mu_;  // guards all below; never taken under a shard's lock
  CondVar work_;
  CondVar room_;
  int signals_ = 0;  // wake-ups on their way
  std::atomic<int32_t> room_waiters_{0};
  bool stopping_ = false;
  std::vector<Thread> threads_;
};

}  // namespace millrace
