// WorkerService: the worker of one task. Runs registered graphs on the task's
// devices for the masters of the cluster, and hands tensors to other tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/file.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/cluster/cluster_spec.h"
#include "millrace/cluster/peers.h"
#include "millrace/graph/function/differentiator.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/protocol/peer.h"
#include "millrace/protocol/worker.h"

namespace millrace {

class Tracer;

// All pointers must outlive the service.
struct WorkerServiceOptions {
  TaskName task;
  // As MakeDevices returns them for `task`, at least one. The incarnation of
  // the first one stands for that of the server.
  std::vector<std::unique_ptr<Device>> devices;
  const OpRegistry* ops = nullptr;
  const KernelTable* kernels = nullptr;
  FunctionDifferentiator differentiate = nullptr;  // null: no gradients
  FileSystem* files = nullptr;  // for kernels; null: DefaultFiles()
  Lanes* lanes = nullptr;       // null: Lanes::Process()
  // Reaches the tasks of sessions that bring a cluster of their own.
  std::shared_ptr<Transport> transport;
  std::shared_ptr<Traffic> traffic;  // of those sessions; null: not counted
  Tracer* tracer = nullptr;          // of the same server; null: no traces

  // A master is probed each `probe_interval_ms` while one of its steps runs,
  // which ends after `probe_misses` without a reply, and ten times less often
  // otherwise.
  int64_t probe_interval_ms = 1'000;
  int probe_misses = 3;
  int64_t master_lost_ms = 60'000;  // then its sessions end
  // How long a RecvTensor waits for its step to begin here.
  int64_t early_recv_ms = 30'000;
};

// Counts the objects that a worker holds, for millrace.Admin and for tests that
// look for leaks.
struct WorkerCounts {
  int64_t sessions = 0;
  int64_t graphs = 0;   // registered
  int64_t plans = 0;    // compiled graphs, also those that only steps use
  int64_t kernels = 0;  // of those and of stateful nodes
  int64_t running_steps = 0;
  int64_t steps = 0;               // running, early, or not yet cleaned up
  int64_t rendezvous_entries = 0;  // values not taken and receives that wait
  int64_t queues = 0;
  int64_t variables = 0;
  int64_t variable_bytes = 0;
  int64_t steps_done = 0;    // since the start, with OK
  int64_t steps_failed = 0;  // since the start
};

// Thread-safe. The master of the same server may call all methods of WorkerApi
// directly; `done` may then run before they return. Long work runs on the
// inter-op pool, all else on the thread of the call.
//
// Errors of RunGraph: ABORTED for an unknown session ("Session handle is not
// found: ...") or graph handle, a request id or step id that was seen before, a
// step that was cleaned up, and the end of the server; otherwise the graph's
// own error. Unknown methods and features are UNIMPLEMENTED.
class WorkerService : public WorkerApi {
 public:
  static StatusOr<std::unique_ptr<WorkerService>> Make(
      WorkerServiceOptions options);
  // Does Stop, CancelRuns and Join.
  ~WorkerService() override = default;

  // Sets the tasks that this one reaches. `peers` must outlive the service. (It
  // needs the service for calls to itself.) Requires: called once, before the
  // first call.
  virtual void SetPeers(Peers* peers) = 0;

  // Returns the devices that GetStatus reports. `master_incarnation` of
  // CreateWorkerSession is the incarnation of the first device of the master's
  // task.
  virtual const std::vector<std::unique_ptr<Device>>& devices() const = 0;
  virtual WorkerCounts counts() const = 0;
  // Returns the steps and receives in flight, the oldest first.
  virtual std::vector<ServerWait> waits(int max) const = 0;

  // Refuses new sessions, graphs, steps and receives with `reason` from now on
  // (ABORTED, so that clients recover); running ones go on. Idempotent.
  virtual void Stop(Status reason) = 0;
  // Ends all sessions and their runs with `reason`.
  virtual void CancelRuns(Status reason) = 0;
  // Blocks until no RunGraph or RecvTensor is in flight and the service has no
  // callback outstanding.
  virtual void Join() = 0;
};

}  // namespace millrace
