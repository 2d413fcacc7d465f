// MasterService: the master of one task. Clients open sessions at it; it places
// their graphs on the cluster, partitions them, and drives the workers.
#pragma once

#include <memory>
#include <vector>

#include "millrace/cluster/master/environment.h"
#include "millrace/protocol/master.h"
#include "millrace/protocol/peer.h"

namespace millrace {

struct MasterCounts {
  int64_t sessions = 0;
  int64_t running_steps = 0;
  int64_t prepared_runs = 0;
};

// Thread-safe. Calls for an unknown session return ABORTED "Session H is not
// found. ...", so that clients create a new one.
class MasterService : public MasterApi {
 public:
  // The objects to which `options` points must outlive the service.
  static std::unique_ptr<MasterService> Make(MasterOptions options);
  // Does Stop, CancelRuns and Join.
  ~MasterService() override = default;

  virtual MasterCounts counts() = 0;
  // Returns the steps in flight, the oldest first.
  virtual std::vector<ServerWait> waits(int max) = 0;

  // Refuses new sessions and steps with `reason` from now on (ABORTED, so that
  // clients recover); running steps go on. Idempotent.
  virtual void Stop(Status reason) = 0;
  // Blocks until no step is in flight. Returns false if the deadline passed
  // first.
  virtual bool WaitForSteps(Deadline deadline) = 0;
  // Closes all sessions: running steps end with `reason`. The workers are told
  // to delete their sessions, or nothing more is sent.
  enum class Workers { kTold, kNotTold };
  virtual void CancelRuns(Status reason, Workers workers) = 0;
  // Blocks until every request is answered and no call to a worker is open;
  // those still open at the deadline are cancelled.
  virtual void Join(Deadline deadline) = 0;
};

}  // namespace millrace
