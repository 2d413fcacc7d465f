// PaceWatch: decides for whom a replica waits that may be only so many steps
// ahead of the slowest, and which of the others make no progress.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "millrace/train/replicas/replica_table.h"

namespace millrace::train {

// Not thread-safe. Times are nanoseconds of NowNanos().
class PaceWatch {
 public:
  struct Limits {
    int64_t replica = 0;  // this one
    int64_t max_ahead = 0;
    int64_t too_long_nanos = 0;
  };
  explicit PaceWatch(const Limits& limits) : limits_(limits) {}

  struct Verdict {
    // Up to which clock this replica may begin steps without looking again:
    // clocks only grow, and one that joins comes in no lower than the slowest.
    int64_t up_to = 0;
    // The slowest ones, for whom it waits; empty: it may go on.
    std::vector<int64_t> slowest;
    // The ones among them that have made no progress for too long. Others that
    // are behind may have waited for the same ones; their time begins when
    // these have gone.
    std::vector<int64_t> stuck;
  };
  // `waits_since` is when this replica began to wait: what others did not do
  // before that, while it computed a step of its own, does not count.
  Verdict Look(const ReplicaRecords& records, int64_t now,
               int64_t waits_since = 0);

  // Returns "replicas 1, 3, at step 4 of their own; this one is at step 8
  // and may be 3 ahead": of those for whom it waits.
  std::string Describe(const ReplicaRecords& records,
                       const Verdict& verdict) const;

 private:
  struct Seen {
    ReplicaState state = ReplicaState::kUnknown;
    int64_t clock = 0;
    int64_t since = 0;  // when its clock was another for the last time
  };
  const Limits limits_;
  std::vector<Seen> seen_;
};

}  // namespace millrace::train
