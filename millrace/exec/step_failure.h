// StepFailure: the first error of a step, and what it ends.
#pragma once

#include <atomic>

#include "millrace/base/status.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace {

// Thread-safe.
class StepFailure {
 public:
  // `environment` must outlive it.
  explicit StepFailure(const StepEnvironment& environment)
      : environment_(environment) {}

  // Returns whether the step has failed: it runs no further nodes.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // Keeps the error, unless it only follows from an earlier one, and ends what
  // still runs or waits for the step.
  void Fail(Status status);

  // Fails a step that is cancelled, so that loops end, too. Returns true if
  // this call did.
  bool FailIfCancelled() {
    CancelScope* cancel = environment_.cancel;
    if (cancel == nullptr || !cancel->cancelled() || failed()) return false;
    Fail(cancel->status());
    return true;
  }

  // Returns the step's first underived error, or OK. Requires: none of its
  // nodes is running.
  const Status& status() const { return status_; }

 private:
  const StepEnvironment& environment_;
  std::atomic<bool> failed_{false};
  Mutex mu_;
  Status status_;  // guarded by mu_ until the step's last node is done
};

}  // namespace millrace
