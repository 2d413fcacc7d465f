// OpenCall: counts the calls that wait at the servers of this process.
#pragma once

#include <atomic>
#include <cstdint>

#include "millrace/base/memory/memory_charge.h"

namespace millrace {

// A part of a served call. Some thousands are free, so that a server whose
// memory is full still answers what asks whether it lives, and what gives
// memory back; of more each counts in the memory budget, or a caller could open
// as many as the machine has memory for.
class OpenCall {
 public:
  OpenCall() = default;
  ~OpenCall() {
    if (begun_) open_.fetch_sub(1, std::memory_order_relaxed);
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  // Counts the call, whose objects take about `bytes`. Returns
  // RESOURCE_EXHAUSTED if there are many and the budget has no room. Requires:
  // called once.
  Status Begin(int64_t bytes) {
    begun_ = true;
    if (open_.fetch_add(1, std::memory_order_relaxed) < kFreeCalls) {
      return OkStatus();
    }
    return charge_.Set(bytes, "an open call");
  }

 private:
  static constexpr int64_t kFreeCalls = 10'000;
  static inline std::atomic<int64_t> open_{0};

  bool begun_ = false;
  MemoryCharge charge_;
};

}  // namespace millrace
