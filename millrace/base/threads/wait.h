// Named waits: which thread waits for what, and since when, for status dumps,
// for the deadlock report of a simulation and for debugging hangs.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace millrace {

// Records, for its lifetime, that the creating thread waits for `what`, for
// example "dequeue from queue q1, step 17". An asynchronous operation keeps one
// as a member; it may be destroyed on another thread. Takes about 100 ns.
class WaitScope {
 public:
  explicit WaitScope(absl::string_view what);
  // Also records how many of a `unit` are missing until the wait ends: "take
  // from accumulator a, step 17: 2 gradients missing". `unit` must outlive the
  // scope.
  WaitScope(absl::string_view what, const char* unit, int64_t missing);
  ~WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

  // Requires: a scope with a unit. May be called on any thread while the scope
  // lives.
  void set_missing(int64_t missing) {
    missing_.store(missing, std::memory_order_relaxed);
  }

 private:
  friend struct WaitTable;
  WaitScope* next_;
  WaitScope* previous_;
  uint64_t sequence_;
  uint64_t world_;
  int64_t thread_id_;
  int64_t since_nanos_;
  std::string thread_name_;
  std::string what_;
  const char* unit_ = nullptr;
  std::atomic<int64_t> missing_{0};
};

struct WaitInfo {
  std::string thread_name;
  int64_t thread_id = 0;
  std::string what;
  int64_t since_nanos = 0;  // NowNanos() at the start of the wait
};

// Returns all waits in progress, the oldest first; in a simulation those of the
// run.
std::vector<WaitInfo> ListWaits();

}  // namespace millrace
