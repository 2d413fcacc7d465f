// MemoryCharge: one owner's bytes in the process's memory budget, for memory
// that no allocator counts (tables whose length is determined by input).
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "millrace/base/memory/memory_budget.h"

namespace millrace {

// Releases its bytes when destroyed. For one thread at a time.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  MemoryCharge(MemoryCharge&& o) noexcept
      : budget_(o.budget_), bytes_(std::exchange(o.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& o) noexcept {
    std::swap(budget_, o.budget_);
    std::swap(bytes_, o.bytes_);
    return *this;
  }
  ~MemoryCharge() {
    if (bytes_ > 0) budget_->Release(bytes_);
  }

  // Sets the charge to `bytes` in all, instead of the previous amount. Returns
  // RESOURCE_EXHAUSTED, and changes nothing, if the budget has no room.
  Status Set(int64_t bytes, absl::string_view what) {
    if (budget_ == nullptr) budget_ = &MemoryBudget::Process();
    // A product that has overflowed.
    if (bytes < 0) bytes = std::numeric_limits<int64_t>::max();
    if (bytes > bytes_) {
      MR_RETURN_IF_ERROR(budget_->Reserve(bytes - bytes_, what));
    } else {
      budget_->Release(bytes_ - bytes);
    }
    bytes_ = bytes;
    return OkStatus();
  }
  int64_t bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace millrace
