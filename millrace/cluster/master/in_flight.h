// InFlight: counts operations in flight, and waits for their end.
#pragma once

#include <atomic>
#include <cstdint>

#include "millrace/base/threads/thread.h"

namespace millrace {

// Thread-safe. Counting takes no lock.
class InFlight {
 public:
  void Add(int64_t n = 1) { count_.fetch_add(n, std::memory_order_relaxed); }
  // Decrements the count. This may be the last access of the owner's parts to
  // this object: a waiter that sees none left may destroy it.
  void Remove();
  int64_t count() const { return count_.load(std::memory_order_acquire); }
  // Blocks until nothing is in flight. Returns false if the deadline passed
  // first.
  bool WaitForNone(Deadline deadline);

 private:
  std::atomic<int64_t> count_{0};
  Mutex mu_;
  CondVar none_;
};

}  // namespace millrace
