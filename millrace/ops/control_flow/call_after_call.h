// CallAfterCall: one function call after the other, as loops make them.
#pragma once

#include <atomic>
#include <memory>

#include "millrace/base/clock.h"
#include "millrace/base/threads/batch.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// One run of a loop. Since each call may complete inline, the loop continues by
// a flag instead of recursion. `Run` has
//   void Call();     // starts a call, whose end calls CallDone
//   bool Advance();  // takes the call's results; whether another call follows
// and is held by a shared_ptr, which each call shares.
template <class Run>
class CallAfterCall : public std::enable_shared_from_this<Run> {
 public:
  // Makes calls until one does not complete inline. Returns soon if the thread
  // has other work or somebody waits for it: that is checked between calls, and
  // each call is short.
  void Continue() {
    const int64_t began = NowNanos();
    bool again = true;
    while (again) {
      phase_.store(kCalling);
      run().Call();
      again = phase_.exchange(kWaiting) == kCompleted && run().Advance();
      if (again && NowNanos() - began > kInlineNanos) {
        Batch::FlushAll();
        ctx_.device().lanes().inter_op.Schedule(
            [self = this->shared_from_this()] { self->Continue(); });
        return;
      }
    }
  }

 protected:
  explicit CallAfterCall(KernelContext& ctx) : ctx_(ctx) {}

  void CallDone() {
    if (phase_.exchange(kCompleted) == kWaiting && run().Advance()) Continue();
  }

  KernelContext& ctx_;

 private:
  // One wake-up in this time costs next to nothing.
  static constexpr int64_t kInlineNanos = 1'000'000;
  enum : int { kCalling, kWaiting, kCompleted };

  Run& run() { return static_cast<Run&>(*this); }

  std::atomic<int> phase_{kCalling};
};

}  // namespace millrace::ops
