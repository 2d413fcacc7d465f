// Tells a long computation to end because its step was cancelled, and lends it
// the device's threads.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "millrace/base/threads/cancel.h"

namespace millrace {
class KernelContext;
}

namespace millrace::ops {

// For one thread. Cheap enough for loops over the rows of the smallest
// matrices.
//
// Functions that take a StopFlag return early once it is set; their results
// then have the right sizes and unspecified values.
class StopFlag {
 public:
  // `scope` must outlive this; if null, the flag is never set.
  // `threads`, if not null, are those of a kernel that computes nothing else
  // meanwhile.
  explicit StopFlag(const CancelScope* scope, KernelContext* threads = nullptr)
      : scope_(scope), threads_(threads) {}

  // Returns whether to stop. Called before about `work` multiplications. Stays
  // true.
  bool IsSet(int64_t work) {
    work_ += work;
    if (work_ > kWorkBetween) {
      work_ = 0;
      set_ = scope_ != nullptr && scope_->cancelled();
    }
    return set_;
  }

  // Calls f for parts of [0, total) with a flag each: on all threads, if there
  // are some to lend, and otherwise on this one. How it is cut may depend on
  // the number of threads.
  void Share(
      int64_t total, int64_t nanos_each,
      absl::FunctionRef<void(int64_t begin, int64_t end, StopFlag& stop)> f);

 private:
  static constexpr int64_t kWorkBetween = 1 << 20;  // about a millisecond

  const CancelScope* scope_;
  KernelContext* threads_;
  int64_t work_ = 0;
  bool set_ = false;
};

}  // namespace millrace::ops
