// Named waits: who waits for what, since when. Read by status dumps, by the
// deadlock report of a simulation and by people who debug a hang.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace millrace {

// Says, for its lifetime, that the creating thread waits for `what`, for
// example "dequeue from queue q1, step 17". An asynchronous operation keeps
// one as a member; it may be destroyed on another thread. About 100 ns.
class WaitScope {
 public:
  explicit WaitScope(absl::string_view what);
  // Also says how many of a `unit` are missing until the wait ends: "take from
  // accumulator a, step 17: 2 gradients missing". `unit` outlives the scope.
  WaitScope(absl::string_view what, const char* unit, int64_t missing);
  ~WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

  // For a scope with a unit. On any thread, as long as the scope lives.
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

// All waits in progress, the oldest first; in a simulation those of the run.
std::vector<WaitInfo> ListWaits();

}  // namespace millrace
