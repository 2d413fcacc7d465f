// Counting: a client adds to counters on the ps in every possible way, and
// checks the sums.
#pragma once

#include <vector>

#include "tests/simulation/tracked_variable.h"

namespace millrace::sim {

// Not thread-safe.
class Counting {
 public:
  Counting(Connection& connection, const ClientOps& ops);

  // Runs one step, maybe after steps that it needs.
  Status Step();
  // Returns the number of additions that are known to have happened.
  int64_t acknowledged() const { return acknowledged_; }
  // Returns how many times a ps had lost a counter.
  int64_t lost_state() const { return lost_state_; }

 private:
  // Adds by fetching `adds`, of these counters, in one step.
  Status Add(const std::vector<int>& which,
             absl::FunctionRef<StatusOr<std::vector<Tensor>>()> run);
  StatusOr<std::vector<Tensor>> RunCallable(int which);
  // Runs in a session of its own, which is closed afterwards.
  Status InSecondSession(int which);

  Connection& connection_;
  const ClientOps& ops_;
  std::vector<TrackedVariable> counters_;
  int64_t acknowledged_ = 0;
  int64_t lost_state_ = 0;
};

}  // namespace millrace::sim
