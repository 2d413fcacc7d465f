// Peers: the tasks of a cluster as one server sees them: how to call them,
// whether they are alive, and their incarnations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/base/threads/thread.h"
#include "millrace/cluster/cluster_spec.h"
#include "millrace/cluster/traffic.h"
#include "millrace/protocol/worker.h"
#include "millrace/rpc/transport.h"

namespace millrace {

// One task. Its WorkerApi calls through the transport (or directly into the
// worker of this process), retries the methods that may be retried (method.h),
// and takes part in failure detection: while calls that wait are open, a
// heartbeat probes the task with GetStatus every second on the control lane.
// After three misses, or when its connection breaks or its incarnation changes,
// the open calls end with UNAVAILABLE (ABORTED for a new incarnation) that
// names task, address and last error. Thread-safe.
class Peer : public RefCounted {
 public:
  virtual const TaskName& task() const = 0;
  virtual const std::string& address() const = 0;
  virtual WorkerApi& worker() = 0;
  virtual bool is_self() const = 0;

  // Return what is known of the task: the last error of a call (OK if it
  // answers), and the devices that it reported, empty before the first
  // GetStatus.
  virtual Status last_error() const = 0;
  // Returns whether it has ever answered a call, in any of its incarnations.
  virtual bool has_answered() const = 0;
  virtual std::vector<DeviceAttributes> devices() const = 0;
  // Returns the incarnation of its first device as last reported, 0 before
  // that.
  virtual uint64_t incarnation() const = 0;
  // Asks for its devices, repeatedly until it answers, with a backoff of 100 ms
  // to 2 s. If the deadline of `context` passes first, `done` gets
  // DEADLINE_EXCEEDED with the last error (connection refused, name not found,
  // another task at that address); if it is cancelled, the reason with that
  // error. `context` must live until `done`.
  virtual void Identify(CallContext& context, Done done) = 0;
};

struct PeersOptions {
  TaskName self;
  ClusterSpec cluster;
  std::shared_ptr<Transport> transport;
  WorkerApi* self_worker = nullptr;  // calls to this task go there directly
  // For cluster propagation: accepts servers that report devices under other
  // names of job and task, and uses this cluster's names for them. Otherwise
  // that is an error.
  bool rename_devices = false;
  Lanes* lanes = nullptr;  // for timers and probes; null: Lanes::Process()
  int64_t probe_interval_ms = 1000;
  int probe_misses = 3;
  std::shared_ptr<Traffic> traffic;  // of calls to others; null: not counted
};

// Thread-safe. A Peer may outlive this object; lanes and transport must outlive
// both.
class Peers {
 public:
  virtual ~Peers() = default;
  // Returns NOT_FOUND if the cluster has no such task.
  virtual StatusOr<Ref<Peer>> Find(const TaskName& task) = 0;
  virtual std::vector<Ref<Peer>> All() = 0;
  virtual const ClusterSpec& cluster() const = 0;
};

std::unique_ptr<Peers> MakePeers(PeersOptions options);

}  // namespace millrace
