// PollTask: work that goes on whenever something that it waits for has
// happened, without a thread of its own.
#pragma once

#include <atomic>
#include <memory>

#include "millrace/base/threads/thread_pool.h"

namespace millrace::ops {

// Where a task was polled: on its pool, or on a thread inside WakeHere().
enum class PollPlace { kPool, kHere };

// Thread-safe. Held by shared_ptr. Whoever may have to wake it later keeps a
// weak_ptr.
class PollTask : public std::enable_shared_from_this<PollTask> {
 public:
  explicit PollTask(TaskQueue& pool) : pool_(pool) {}
  virtual ~PollTask() = default;
  PollTask(const PollTask&) = delete;
  PollTask& operator=(const PollTask&) = delete;

  // Poll() is called some time after this, on the pool.
  void Wake();
  // The same on the calling thread if it is not being called already, and if
  // such calls do not nest too deep on this thread (an iterator whose function
  // asks an iterator, whose function asks the next).
  void WakeHere();

 protected:
  // Goes on as far as it can without waiting. Never called twice at a time.
  virtual void Poll() = 0;
  // Called after each Poll(), which may begin again meanwhile: hands out what
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
