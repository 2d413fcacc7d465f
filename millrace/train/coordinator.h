// Coordinator: ends a group of threads together.
#pragma once

#include <memory>

#include "millrace/base/clock.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"

namespace millrace::train {

// Any thread asks all to stop, and says why; all look at ShouldStop or wait.
// Thread-safe.
class Coordinator {
 public:
  // `reason`: an error, which Join reports, or OK. OUT_OF_RANGE and CANCELLED
  // are how data and queues end, and count as OK. The first error is kept.
  void RequestStop(const Status& reason = OkStatus());
  bool ShouldStop() const;
  // True if the stop was requested, false if the deadline passed first.
  bool WaitForStop(Deadline deadline = Deadline::Infinite());
  // Cancelled when a stop is requested, or already is: ends runs, tells
  // callbacks. ClearStop makes another one.
  std::shared_ptr<CancelScope> stop_scope() const;
  // From a start on: the group can work again after a stop.
  void ClearStop();

  // Threads of the group say when they begin and end.
  void Register();
  void Unregister();
  // Waits for a stop and the end of all registered threads, after the stop at
  // most `grace_ms`. The first error; DEADLINE_EXCEEDED if threads are left.
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
