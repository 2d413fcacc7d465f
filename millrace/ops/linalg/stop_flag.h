// Tells a long computation to end because its step was cancelled.
#pragma once

#include <cstdint>

#include "millrace/base/threads/cancel.h"

namespace millrace::ops {

// For one thread. Cheap enough for loops over the rows of the smallest
// matrices.
//
// Functions that take a StopFlag return early once it is set; their results
// then have the right sizes and unspecified values.
class StopFlag {
 public:
  // `scope` must outlive this; if null, the flag is never set.
  explicit StopFlag(const CancelScope* scope) : scope_(scope) {}

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

 private:
  static constexpr int64_t kWorkBetween = 1 << 20;  // about a millisecond

  const CancelScope* scope_;
  int64_t work_ = 0;
  bool set_ = false;
};

}  // namespace millrace::ops
