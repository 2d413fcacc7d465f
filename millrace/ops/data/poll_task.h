// PollTask: work that continues whenever something that it waits for has
// happened, without a thread of its own.
#pragma once

#include <atomic>
#include <memory>

#include "millrace/base/threads/thread_pool.h"

namespace millrace::ops {

// The place of a poll: the task's pool, or a thread in WakeInline().
enum class PollPlace { kPool, kInline };

// Thread-safe. Held by shared_ptr. Code that may have to wake it later keeps a
// weak_ptr.
class PollTask : public std::enable_shared_from_this<PollTask> {
 public:
  explicit PollTask(TaskQueue& pool) : pool_(pool) {}
  virtual ~PollTask() = default;
  PollTask(const PollTask&) = delete;
  PollTask& operator=(const PollTask&) = delete;

  // Makes the pool call Poll() some time later.
  void Wake();
  // Calls Poll() on the calling thread unless it is running already, or such
  // calls nest too deeply on this thread (an iterator whose function asks an
  // iterator, whose function asks the next); then as Wake().
  void WakeInline();

 protected:
  // Continues as far as possible without blocking. Two calls never overlap.
  virtual void Poll() = 0;
  // Called after each Poll(), which may begin again meanwhile; hands out what
  // has become ready.
  virtual void AfterPoll(PollPlace) {}

 private:
  enum : int { kIdle, kScheduled, kRunning, kWoken };
  void Schedule();
  void Run(PollPlace place);

  TaskQueue& pool_;
  std::atomic<int> state_{kIdle};
};

}  // namespace millrace::ops
