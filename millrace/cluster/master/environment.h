// MasterEnvironment: what all parts of a master share.
#pragma once

#include <memory>
#include <vector>

#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/cluster/master/in_flight.h"
#include "millrace/cluster/peers.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/run_signature.h"
#include "millrace/protocol/config.h"

namespace millrace {

class Tracer;

struct MasterOptions {
  TaskName self;
  // Incarnation of this task's first device, by which workers notice a restart.
  uint64_t incarnation = 0;
  Peers* peers = nullptr;
  // The worker of the same server.
  WorkerApi* worker = nullptr;
  // Reaches the tasks of sessions that bring a cluster of their own; if null,
  // such sessions are refused.
  std::shared_ptr<Transport> transport;
  std::shared_ptr<Traffic> traffic;  // of those sessions; null: not counted
  Tracer* tracer = nullptr;          // of the same server; null: no traces
  const OpRegistry* ops = nullptr;
  const KernelTable* kernels = nullptr;
  // A CPU device of this task, for constant folding; null: constants are not
  // folded. It must outlive the master.
  Device* device = nullptr;
  Lanes* lanes = nullptr;  // null: Lanes::Process()
  ConfigOptions default_session_config;
  // How long a session waits for a task that its graph needs.
  int64_t session_wait_ms = 300'000;
  // The same for a task that answered before: it crashed, and the client should
  // create its session again. It is told so within five seconds.
  int64_t lost_task_wait_ms = 4'000;
  // How long list_devices waits for the tasks of the cluster.
  int64_t list_devices_wait_ms = 5'000;
  int64_t probe_interval_ms = 1'000;
  size_t max_prepared_runs = kMaxPreparedRuns;  // of a session
};

// Must live until the master's last callback has run.
struct MasterEnvironment {
  explicit MasterEnvironment(MasterOptions o) : options(std::move(o)) {
    if (options.lanes == nullptr) options.lanes = &Lanes::Process();
  }

  Lanes& lanes() const { return *options.lanes; }

  MasterOptions options;
  // Requests and background calls in flight.
  InFlight in_flight;
  // Steps whose clients wait.
  InFlight steps;
  // Parent of the scopes of all background calls: cancelled when the server
  // ends.
  CancelScope background;
};

}  // namespace millrace
