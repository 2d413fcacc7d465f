#include "millrace/base/threads/thread_pool.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/base/denormals.h"
#include "millrace/base/sim/sim.h"
#include "millrace/base/threads/batch.h"

namespace millrace {
namespace {

struct Place {
  const ThreadPool* pool = nullptr;
  int index = 0;
};
constinit thread_local Place place;

constexpr int kMaxShards = 16;
// A thread takes its own tasks first, but looks at the other threads' queues in
// turn once per this many tasks: a thread may be busy with a long task while
// the others keep scheduling new ones on their own queues.
constexpr uint32_t kOwnTasksInARow = 61;

}  // namespace

bool InlineQueue::RunOne() {
  if (tasks_.empty()) return false;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  task();
  return true;
}

int InlineQueue::RunAll() {
  int ran = 0;
  while (RunOne()) ++ran;
  return ran;
}

// One queue per thread (up to a limit), so that threads that schedule their own
// tasks do not contend for one lock.
struct alignas(64) ThreadPool::Shard {
  Mutex mu;
  std::deque<Task> tasks;
  std::atomic<int> notifying{0};  // threads here that are waking a worker
};

ThreadPool::ThreadPool(absl::string_view name, const ThreadPoolOptions& options)
    : name_(name), options_(options), process_(CurrentSimProcess()) {
  MR_CHECK(options_.threads > 0, "a pool without threads: ", name);
  for (int i = 0; i < std::min(options_.threads, kMaxShards); ++i) {
    shards_.push_back(std::make_unique<Shard>());
  }
}

ThreadPool::~ThreadPool() {
  std::vector<Thread> threads;
  {
    MutexLock lock(mu_);
    stopping_ = true;
    work_.NotifyAll();
    room_.NotifyAll();
    threads.swap(threads_);
  }
  for (Thread& thread : threads) thread.Join();
  for (const auto& shard : shards_) {
    while (shard->notifying.load(std::memory_order_acquire) > 0) Yield();
  }
}

bool ThreadPool::IsPoolThread() const { return place.pool == this; }

void ThreadPool::Schedule(Task task) {
  if (options_.max_queued > 0 && !IsPoolThread()) {
    MutexLock lock(mu_);
    room_waiters_.fetch_add(1, std::memory_order_seq_cst);
    while (pending_.load(std::memory_order_seq_cst) >= options_.max_queued) {
      room_.Wait(mu_);
    }
    room_waiters_.fetch_sub(1, std::memory_order_relaxed);
    lock.Unlock();
  }
  Push(std::move(task));
}

Status ThreadPool::TrySchedule(Task task) {
  if (options_.max_queued > 0 &&
      pending_.load(std::memory_order_relaxed) >= options_.max_queued) {
    return ResourceExhausted("The queue of the thread pool ", name_,
                             " is full; it holds ", options_.max_queued,
                             " tasks");
  }
  Push(std::move(task));
  return OkStatus();
}

void ThreadPool::Push(Task task) {
  const size_t at =
      (IsPoolThread() ? static_cast<uint32_t>(place.index)
                      : next_shard_.fetch_add(1, std::memory_order_relaxed)) %
      shards_.size();
  {
    MutexLock lock(shards_[at]->mu);
    shards_[at]->tasks.push_back(std::move(task));
  }
  // A worker that goes to sleep raises sleeping_ before it reads pending_; this
  // does the opposite, so at least one of the two sees the other.
  pending_.fetch_add(1, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst) == 0 &&
      started_.load(std::memory_order_relaxed) == options_.threads) {
    return;
  }
  MutexLock lock(mu_);
  if (sleeping_.load(std::memory_order_relaxed) > 0) {
    sleeping_.fetch_sub(1, std::memory_order_relaxed);
    ++signals_;
    // After the lock is released, or the woken thread would block on it at
    // once.
    std::atomic<int>& notifying = shards_[at]->notifying;
    notifying.fetch_add(1, std::memory_order_relaxed);
    lock.Unlock();
    work_.NotifyOne();
    notifying.fetch_sub(1, std::memory_order_release);
  } else if (started_.load(std::memory_order_relaxed) < options_.threads &&
             !stopping_) {
    StartThread();
  }
}

void ThreadPool::StartThread() {
  const int index = started_.load(std::memory_order_relaxed);
  // The thread counts as awake before it can run anything.
  started_.store(index + 1, std::memory_order_relaxed);
  SimProcessScope here(process_);
  threads_.emplace_back(
      options_.threads == 1 ? name_ : absl::StrCat(name_, "-", index),
      [this, index] { Loop(index); });
}

bool ThreadPool::Pop(int preferred, Task& task) {
  const size_t n = shards_.size();
  for (size_t i = 0; i < n; ++i) {
    Shard& shard = *shards_[(preferred + i) % n];
    MutexLock lock(shard.mu);
    if (shard.tasks.empty()) continue;
    task = std::move(shard.tasks.front());
    shard.tasks.pop_front();
    lock.Unlock();
    pending_.fetch_sub(1, std::memory_order_seq_cst);
    if (options_.max_queued > 0 &&
        room_waiters_.load(std::memory_order_seq_cst) > 0) {
      MutexLock room_lock(mu_);
      room_.NotifyOne();
    }
    return true;
  }
  return false;
}

void ThreadPool::Loop(int index) {
  place = {this, index};
  std::optional<ScopedFlushDenormals> flush;
  if (options_.flush_denormals) flush.emplace();
  Task task;
  uint32_t taken = 0;
  const auto first = [&] {
    const uint32_t turn = ++taken / kOwnTasksInARow;
    return taken % kOwnTasksInARow == 0 ? static_cast<int>(turn % kMaxShards)
                                        : index;
  };
  while (true) {
    while (pending_.load(std::memory_order_relaxed) > 0 && Pop(first(), task)) {
      const Batch batch;
      task();
      task = nullptr;
    }
    MutexLock lock(mu_);
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
    if (pending_.load(std::memory_order_seq_cst) > 0) {
      sleeping_.fetch_sub(1, std::memory_order_relaxed);
      continue;
    }
    while (signals_ == 0 && !stopping_) work_.Wait(mu_);
    if (signals_ > 0) {
      --signals_;  // the notifier has lowered sleeping_
    } else {
      sleeping_.fetch_sub(1, std::memory_order_relaxed);
      if (pending_.load(std::memory_order_seq_cst) <= 0) break;
    }
  }
  place = {};
}

}  // namespace millrace
