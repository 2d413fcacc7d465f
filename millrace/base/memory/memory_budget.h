// MemoryBudget: how many bytes a process may hold in tensors and messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "millrace/base/status.h"

namespace millrace {

// Thread-safe, lock-free. Counts; does not allocate.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit_bytes) : limit_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // False, nothing reserved, if it would pass the limit. bytes >= 0.
  bool TryReserve(int64_t bytes);
  // The same with RESOURCE_EXHAUSTED, naming `what`, bytes, used and limit.
  Status Reserve(int64_t bytes, absl::string_view what = "");
  // Counts bytes that are there already, also above the limit.
  void ReserveAlways(int64_t bytes);
  void Release(int64_t bytes);

  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(int64_t bytes) {
    limit_.store(bytes, std::memory_order_relaxed);
  }

  // The budget of this process, at first 85 % of UsableMemoryBytes(); in a
  // simulation that of the simulated process, at first 16 GiB on any machine.
  static MemoryBudget& Process();
  // The same, never a simulated one.
  static MemoryBudget& RealProcess();

 private:
  void RaisePeak(int64_t used);

  std::atomic<int64_t> limit_;
  std::atomic<int64_t> used_{0};
  std::atomic<int64_t> peak_{0};
};

// While one is alive on a thread, what has no way to return an error (the
// strings of a tensor) throws std::bad_alloc there when the budget has no room.
// Elsewhere it counts beyond the limit, too. Whoever runs kernels has one and
// catches.
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
