// KeptCharge: the memory of many small things that an iterator keeps, charged
// to the budget: elements of groups, states by key, values seen before.
#pragma once

#include "millrace/base/memory/memory_charge.h"

namespace millrace::ops {

// May be used by one thread at a time.
class KeptCharge {
 public:
  // An element with its tensors, without what their allocator counts.
  static constexpr int64_t kBytesPerElement = 192;

  // Charges in steps, since all threads share the budget; a few bytes are not
  // counted. Returns RESOURCE_EXHAUSTED, and changes nothing, if the budget has
  // no room.
  Status Set(int64_t bytes, absl::string_view what) {
    if (bytes < kUncountedBytes) {
      return charge_.bytes() == 0 ? OkStatus() : charge_.Set(0, what);
    }
    if (bytes <= charge_.bytes() && bytes >= charge_.bytes() / 4) {
      return OkStatus();
    }
    return charge_.Set(2 * bytes, what);
  }

 private:
  static constexpr int64_t kUncountedBytes = 64 << 10;

  MemoryCharge charge_;
};

}  // namespace millrace::ops
