// Connection: connects a client of the simulation to its master. Opens
// sessions, and checks that every run ends in time and with an error from which
// clients can recover.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/client/session.h"
#include "tests/simulation/client_ops.h"
#include "tests/simulation/sim_cluster.h"
#include "tests/simulation/verdict.h"

namespace millrace::sim {

// Timeout of a run, unless it has its own; also of creating a session.
inline constexpr int64_t kRunTimeoutMs = 40'000;
// Failure detection ends a run that needs a task which is lost or silent, so
// no run takes its whole timeout. (3 probes; another failure may follow.)
inline constexpr int64_t kMaxRunMs = 25'000;
// Longest time between a run's timeout or cancellation and its end.
inline constexpr int64_t kGraceMs = 2'000;
// After this time nothing that was in flight arrives any more: the longest
// silence, plus the timeouts of what it held.
inline constexpr int64_t kQuietMs = 100'000;

// ABORTED, UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED: a new session may
// succeed.
bool IsRecoverable(const Status& status);
// A ps has no value for a variable, since it restarted.
bool IsStateLost(const Status& status);

struct RunLimits {
  int64_t timeout_ms = 0;  // 0: kRunTimeoutMs
  CancelScope* cancel = nullptr;
  bool may_end = false;  // OUT_OF_RANGE is a regular outcome
};

// Not thread-safe, except for Run of a session from `session()`.
class Connection {
 public:
  Connection(SimCluster& cluster, Verdict& verdict, std::string name,
             const ClientOps& ops);

  SimCluster& cluster() { return cluster_; }
  const std::string& name() const { return name_; }
  int64_t steps() const { return steps_; }

  // Runs one step; in a new session if there is none.
  StatusOr<std::vector<Tensor>> Run(
      const std::vector<Feed>& feeds, const std::vector<Output>& fetches,
      const std::vector<ControlInput>& targets = {},
      const RunLimits& limits = {});
  // The same in `session`. Any thread may call it.
  StatusOr<std::vector<Tensor>> RunIn(Session& session,
                                      const std::vector<Feed>& feeds,
                                      const std::vector<Output>& fetches,
                                      const std::vector<ControlInput>& targets,
                                      const RunLimits& limits);
  // Runs `call`, which is one step, and checks that it ends within kMaxRunMs.
  Status Timed(absl::FunctionRef<Status()> call);

  // Returns the session, created if there is none.
  StatusOr<std::shared_ptr<Session>> session();
  // Closes the session.
  void Drop() { session_.reset(); }
  SessionOptions options() const;

  // Reports a violation.
  void Fail(const Status& status);

 private:
  SimCluster& cluster_;
  Verdict& verdict_;
  const std::string name_;
  const ClientOps& ops_;
  std::shared_ptr<Session> session_;
  std::atomic<int64_t> steps_{0};
};

}  // namespace millrace::sim
