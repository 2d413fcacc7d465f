// RecentRequests: the ids of requests that came, so that none runs twice.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace millrace {

class RunStep;

// One thread at a time.
class RecentRequests {
 public:
  // How many are remembered. A client sends a call again within seconds.
  static constexpr size_t kCapacity = 4096;

  enum class Seen { kNew, kRunning, kEnded };
  // `*step` is set for kRunning, and remembered for kNew. Id 0 is always new
  // and never remembered.
  Seen Add(int64_t id, RunStep** step);
  // The step of that request has ended.
  void End(int64_t id);

 private:
  absl::flat_hash_map<int64_t, RunStep*> steps_;  // null: ended
  std::vector<int64_t> ring_;                     // ids, the oldest at next_
  size_t next_ = 0;
};

}  // namespace millrace
