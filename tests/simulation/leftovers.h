// Leftovers: checks what clients and masters that are gone have left on the
// servers.
#pragma once

#include <vector>

#include "tests/simulation/sim_cluster.h"
#include "tests/simulation/verdict.h"

namespace millrace::sim {

// Not thread-safe.
class Leftovers {
 public:
  Leftovers(SimCluster& cluster, Verdict& verdict)
      : cluster_(cluster), verdict_(verdict) {}

  // Called after the faults, when no client has a session: no step may run, no
  // tensor wait, and workers must not have sessions that their masters do not
  // have. Stores the existing sessions (of clients that could not close them)
  // for CheckNothingAdded.
  void Look();
  // Called when no client runs anything.
  void CheckNoSteps();
  // Called after the clients have ended: their sessions and steps must be gone.
  void CheckNothingAdded();
  // Kills all masters, and restarts some of them: the sessions that were left
  // must be gone soon after.
  void CheckAfterMasters();

 private:
  // Returns the statuses of all running tasks, as soon as `good` accepts each;
  // after `wait_ms` the run fails. Empty after a failure.
  using Good = absl::FunctionRef<bool(int task, const ServerStatusReply&)>;
  std::vector<ServerStatusReply> WaitUntil(int64_t wait_ms, const char* when,
                                           Good good);

  SimCluster& cluster_;
  Verdict& verdict_;
  std::vector<ServerStatusReply> before_;
};

}  // namespace millrace::sim
