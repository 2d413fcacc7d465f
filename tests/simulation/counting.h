// Counting: a client adds to counters on the ps in every way there is, and
// checks the sums.
#pragma once

#include <vector>

#include "tests/simulation/tracked_variable.h"

namespace millrace::sim {

// One thread.
class Counting {
 public:
  Counting(Connection& connection, const ClientOps& ops);

  // One step, maybe with what it needs before.
  Status Step();
  // Additions that are known to have happened.
  int64_t acknowledged() const { return acknowledged_; }
  // How often a ps had lost a counter.
  int64_t lost_state() const { return lost_state_; }

 private:
  // Adds by fetching `adds`, of these counters, in one step.
  Status Add(const std::vector<int>& which,
             absl::FunctionRef<StatusOr<std::vector<Tensor>>()> run);
  StatusOr<std::vector<Tensor>> RunCallable(int which);
  // In a session of its own that is closed afterwards.
  Status InSecondSession(int which);

  Connection& connection_;
  const ClientOps& ops_;
  std::vector<TrackedVariable> counters_;
  int64_t acknowledged_ = 0;
  int64_t lost_state_ = 0;
};

}  // namespace millrace::sim
