// InFlight: counts what is in progress, and waits for its end.
#pragma once

#include <atomic>
#include <cstdint>

#include "millrace/base/threads/thread.h"

namespace millrace {

// Thread-safe. Counting takes no lock.
class InFlight {
 public:
  void Add(int64_t n = 1) { count_.fetch_add(n, std::memory_order_relaxed); }
  // May be the last touch of this object by its owner's parts: a waiter that
  // sees none left may destroy it.
  void Remove();
  int64_t count() const { return count_.load(std::memory_order_acquire); }
  // Waits until nothing is in progress. False if the deadline passed first.
  bool WaitForNone(Deadline deadline);

 private:
  std::atomic<int64_t> count_{0};
  Mutex mu_;
  CondVar none_;
};

}  // namespace millrace
