// MemoryBudget: limits the bytes that a process may hold in tensors and
// messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// Counts bytes; does not allocate them. Thread-safe and lock-free.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit_bytes) : limit_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Returns false and reserves nothing if the limit would be exceeded.
  // Requires: bytes >= 0.
  bool TryReserve(int64_t bytes);
  // Does the same, and returns RESOURCE_EXHAUSTED with `what`, the bytes, the
  // bytes in use and the limit.
  Status Reserve(int64_t bytes, absl::string_view what = "");
  // Counts bytes that are allocated already, also above the limit.
  void ReserveAlways(int64_t bytes);
  void Release(int64_t bytes);

  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(int64_t bytes) {
    limit_.store(bytes, std::memory_order_relaxed);
  }

  // Returns the budget of this process, initially 85 % of UsableMemoryBytes();
  // in a simulation the budget of the simulated process, initially 16 GiB on
  // any machine.
  static MemoryBudget& Process();
  // Returns the budget of the real process, also in a simulation.
  static MemoryBudget& RealProcess();

 private:
  void RaisePeak(int64_t used);

  std::atomic<int64_t> limit_;
  std::atomic<int64_t> used_{0};
  std::atomic<int64_t> peak_{0};
};

// While a scope is alive on a thread, allocations that cannot return an error
// (the strings of a tensor, CountedVector) throw std::bad_alloc on that thread
// if the budget has no room. On other threads they are counted even beyond the
// limit. Code that runs kernels opens a scope and catches the exception.
class ScopedMemoryLimit {
 public:
  explicit ScopedMemoryLimit(bool on = true)
      : before_(std::exchange(active_, on)) {}
  ~ScopedMemoryLimit() { active_ = before_; }
  ScopedMemoryLimit(const ScopedMemoryLimit&) = delete;
  ScopedMemoryLimit& operator=(const ScopedMemoryLimit&) = delete;

  static bool active() { return active_; }

 private:
  static inline thread_local constinit bool active_ = false;
  const bool before_;
};

}  // namespace millrace
