// Connection: how a client of the simulation reaches its master. Opens
// sessions, and watches that every run ends in time and with an error that
// clients know how to meet.
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

// Of a run, unless it says otherwise; also of making a session.
inline constexpr int64_t kRunTimeoutMs = 40'000;
// Failure detection ends a run that needs a task which is lost or silent, so
// no run takes its whole timeout. (3 probes; another failure may follow.)
inline constexpr int64_t kMostRunMs = 25'000;
// A run may end so long after its own timeout, or after it was cancelled.
inline constexpr int64_t kGraceMs = 2'000;
// After this nothing that was on its way arrives any more: the longest silence,
// and the timeouts of what it kept.
inline constexpr int64_t kQuietMs = 100'000;

// ABORTED, UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED: a new session may do.
bool IsRecoverable(const Status& status);
// A ps has no value for a variable: it was started again.
bool IsStateLost(const Status& status);

struct RunLimits {
  int64_t timeout_ms = 0;  // 0: kRunTimeoutMs
  CancelScope* cancel = nullptr;
  bool may_end = false;  // OUT_OF_RANGE is an outcome like others
};

// One thread, but for Run of a session from `session()`.
class Connection {
 public:
  Connection(SimCluster& cluster, Verdict& verdict, std::string name,
             const ClientOps& ops);

  SimCluster& cluster() { return cluster_; }
  const std::string& name() const { return name_; }
  int64_t steps() const { return steps_; }

  // One step; in a new session if there is none.
  StatusOr<std::vector<Tensor>> Run(
      const std::vector<Feed>& feeds, const std::vector<Output>& fetches,
      const std::vector<ControlInput>& targets = {},
      const RunLimits& limits = {});
  // The same in `session`. By any thread.
  StatusOr<std::vector<Tensor>> RunIn(Session& session,
                                      const std::vector<Feed>& feeds,
                                      const std::vector<Output>& fetches,
                                      const std::vector<ControlInput>& targets,
                                      const RunLimits& limits);
  // Runs `call`, which is one step, within kMostRunMs.
  Status Timed(absl::FunctionRef<Status()> call);

  // The session, made if there is none.
  StatusOr<std::shared_ptr<Session>> session();
  // Closes the session.
  void Drop() { session_.reset(); }
  SessionOptions options() const;

  // Something that must not be.
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
