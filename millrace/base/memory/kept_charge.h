// KeptCharge: the memory of many small things that one owner keeps, charged to
// the budget: elements of queues and buffers, states by key, values seen
// before.
#pragma once

#include "millrace/base/memory/memory_charge.h"

namespace millrace {

// For one thread at a time.
class KeptCharge {
 public:
  // Sets what is kept to `bytes`. Charges in steps, since all threads share the
  // budget; a few bytes are not counted. Returns RESOURCE_EXHAUSTED, and
  // changes nothing, if the budget has no room.
  Status Set(int64_t bytes, absl::string_view what) {
    if (bytes < kUncountedBytes) {
      return charge_.bytes() == 0 ? OkStatus() : charge_.Set(0, what);
    }
    if (bytes <= charge_.bytes() && bytes >= charge_.bytes() / 4) {
      return OkStatus();
    }
    if (charge_.Set(2 * bytes, what).ok()) return OkStatus();
    return bytes <= charge_.bytes() ? OkStatus() : charge_.Set(bytes, what);
  }

 private:
  static constexpr int64_t kUncountedBytes = 4 << 10;

  MemoryCharge charge_;
};

// A KeptCharge that adds up: each thing is counted when it comes and again when
// it goes.
class KeptSum {
 public:
  // `what` is for errors, and must outlive this object.
  explicit KeptSum(const char* what) : what_(what) {}

  // Counts more. Returns RESOURCE_EXHAUSTED, and counts nothing, if the budget
  // has no room.
  Status Add(int64_t bytes) {
    MR_RETURN_IF_ERROR(charge_.Set(bytes_ + bytes, what_));
    bytes_ += bytes;
    return OkStatus();
  }
  // Counts what is there already, also beyond the budget's limit.
  void AddAlways(int64_t bytes) {
    bytes_ += bytes;
    charge_.Set(bytes_, what_).IgnoreError();
  }
  // Returns RESOURCE_EXHAUSTED if there is no room for so many more; counts
  // nothing.
  Status MakeRoom(int64_t bytes) { return charge_.Set(bytes_ + bytes, what_); }
  void Remove(int64_t bytes) { AddAlways(-bytes); }
  void Clear() { Remove(bytes_); }

 private:
  const char* const what_;
  int64_t bytes_ = 0;
  KeptCharge charge_;
};

}  // namespace millrace
