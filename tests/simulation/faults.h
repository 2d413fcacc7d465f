// The faults of a simulated cluster, and how many times each occurred.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "millrace/rpc/fault/fault_network.h"

namespace millrace::sim {

// Faults of single calls come first, in the order of millrace::Fault.
enum class Trouble {
  kRequestLost,
  kReplyLost,
  kDuplicated,
  kRequestDelayed,
  kReplyDelayed,
  kReset,  // one call breaks the connection
  kHeld,
  kKill,        // of a server, which restarts some time later
  kFreeze,      // of a server
  kPartition,   // between two tasks, or a client and a task
  kDisconnect,  // all connections between two ends break
  kClientKill,
  kDiskCrash,  // the disk loses what was not synced
  kDiskError,  // one operation fails
};
inline constexpr int kNumTroubles = static_cast<int>(Trouble::kDiskError) + 1;
static_assert(static_cast<int>(Trouble::kKill) == kNumFaults);

std::string TroubleName(Trouble trouble);

// Counts of one run. Not thread-safe.
class TroubleCounts {
 public:
  void Add(Trouble trouble, int64_t n = 1) {
    rows_[static_cast<size_t>(trouble)][kNumMethods] += n;
  }
  // Adds the faults of calls.
  void AddCalls(const FaultNetwork& network);

  // For a method, or for none (kNumMethods).
  int64_t count(int trouble, int method) const {
    return rows_[static_cast<size_t>(trouble)][static_cast<size_t>(method)];
  }
  int64_t count(int trouble) const;
  int64_t sum() const;

 private:
  std::array<std::array<int64_t, kNumMethods + 1>, kNumTroubles> rows_ = {};
};

}  // namespace millrace::sim
