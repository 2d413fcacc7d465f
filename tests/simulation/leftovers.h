// Leftovers: what clients and masters that are gone have left on the servers.
#pragma once

#include <vector>

#include "tests/simulation/sim_cluster.h"
#include "tests/simulation/verdict.h"

namespace millrace::sim {

// One thread.
class Leftovers {
 public:
  Leftovers(SimCluster& cluster, Verdict& verdict)
      : cluster_(cluster), verdict_(verdict) {}

  // After the faults, when no client has a session: no step may run, no tensor
  // wait, and workers have no sessions that their masters have not. What
  // sessions those are (of clients that could not close them) is kept for
  // CheckNothingAdded.
  void Look();
  // When no client runs anything.
  void CheckNoSteps();
  // When the clients have ended: their sessions and steps are gone.
  void CheckNothingAdded();
  // Kills all masters, and starts some of them again: of the sessions that
  // were left nothing is there soon after.
  void CheckAfterMasters();

 private:
  // Of all tasks that run, as soon as `good` says so of each, at the latest
  // after `wait_ms`, when the run fails. Empty after a failure.
  using Good = absl::FunctionRef<bool(int task, const ServerStatusReply&)>;
  std::vector<ServerStatusReply> WaitUntil(int64_t wait_ms, const char* when,
                                           Good good);

  SimCluster& cluster_;
  Verdict& verdict_;
  std::vector<ServerStatusReply> before_;
};

}  // namespace millrace::sim
