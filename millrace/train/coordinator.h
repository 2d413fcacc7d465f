// Coordinator: stops a group of threads together.
#pragma once

#include <memory>

#include "millrace/base/clock.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"

namespace millrace::train {

// Any thread may ask all of them to stop, with a reason; all threads poll
// ShouldStop or wait. Thread-safe.
class Coordinator {
 public:
  // Asks all threads to stop. `reason` is an error, which Join reports, or OK.
  // OUT_OF_RANGE and CANCELLED are the normal ends of data and queues, and
  // count as OK. The first error is kept.
  void RequestStop(const Status& reason = OkStatus());
  bool ShouldStop() const;
  // Returns true if the stop was requested, false if the deadline passed first.
  bool WaitForStop(Deadline deadline = Deadline::Infinite());
  // Returns a scope that is cancelled when a stop is requested, or already is:
  // it ends runs and calls listeners. ClearStop makes a new one.
  std::shared_ptr<CancelScope> stop_scope() const;
  // Resets the coordinator, so that the group can work again after a stop.
  void ClearStop();

  // Called by a thread of the group when it begins, and when it ends.
  void Register();
  void Unregister();
  // Blocks until a stop and the end of all registered threads, after the stop
  // at most `grace_ms`. Returns the first error; DEADLINE_EXCEEDED if threads
  // are left.
  Status Join(int64_t grace_ms = 120'000);
  Status status() const;

 private:
  mutable Mutex mu_;  // guards all below
  CondVar changed_;
  bool stop_ = false;
  std::shared_ptr<CancelScope> stop_scope_ = std::make_shared<CancelScope>();
  int registered_ = 0;
  Status status_;
};

}  // namespace millrace::train
