// Whether a long computation should end, since its step was cancelled.
#pragma once

#include <cstdint>

#include "millrace/base/threads/cancel.h"

namespace millrace::ops {

// One thread. Cheap enough for loops over the rows of the smallest matrices.
//
// Functions that take one end early once it is set: what they give then has
// the right sizes and means nothing.
class StopFlag {
 public:
  // Null: never set. Outlives this.
  explicit StopFlag(const CancelScope* scope) : scope_(scope) {}

  // To be asked before some `work` multiplications. Stays true.
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
