// MasterService: the master of one task. Clients open sessions here; it places
// their graphs on the cluster, splits them, and drives the workers.
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

// Thread-safe. An unknown session is ABORTED "Session H is not found. ...", so
// that clients make a new one.
class MasterService : public MasterApi {
 public:
  // What `options` points to outlives the service.
  static std::unique_ptr<MasterService> Make(MasterOptions options);
  // As Stop, CancelRuns and Join.
  ~MasterService() override = default;

  virtual MasterCounts counts() = 0;
  // The steps in progress, the oldest first.
  virtual std::vector<ServerWait> waits(int max) = 0;

  // New sessions and steps are refused with `reason` from now on (ABORTED, so
  // that clients recover); what runs goes on. Idempotent.
  virtual void Stop(Status reason) = 0;
  // Waits until no step is in progress. False if the deadline passed first.
  virtual bool WaitForSteps(Deadline deadline) = 0;
  // Closes all sessions: what runs ends with `reason`. The workers are told to
  // delete theirs, or nothing more is sent.
  enum class Workers { kTold, kNotTold };
  virtual void CancelRuns(Status reason, Workers workers) = 0;
  // Waits until every request is answered and no call to a worker is open; what
  // is open at the deadline is cancelled.
  virtual void Join(Deadline deadline) = 0;
};

}  // namespace millrace
