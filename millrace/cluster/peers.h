// Peers: the tasks of a cluster as one server sees them - how to call them,
// whether they live, and which life (incarnation) they are in.
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

// One task. Its WorkerApi calls through the transport (or straight into the
// worker of this process), sends retried methods again (method.h), and takes
// part in failure detection: while calls that wait are open, the task is asked
// for GetStatus every second on the control lane; after three misses, or when
// its connection breaks or its incarnation changes, they end with UNAVAILABLE
// (ABORTED for a new incarnation) that names task, address and last error.
// Thread-safe.
class Peer : public RefCounted {
 public:
  virtual const TaskName& task() const = 0;
  virtual const std::string& address() const = 0;
  virtual WorkerApi& worker() = 0;
  virtual bool is_self() const = 0;

  // What is known of it: the last error of a call (OK if it answers), and the
  // devices it reported, empty before the first GetStatus.
  virtual Status last_error() const = 0;
  // Whether it has ever answered a call, in any of its lives.
  virtual bool has_answered() const = 0;
  virtual std::vector<DeviceAttributes> devices() const = 0;
  // Incarnation of its first device as last reported, 0 before that.
  virtual uint64_t incarnation() const = 0;
  // Asks for its devices, again and again until it answers, 100 ms to 2 s
  // apart. If the deadline of `context` passes first, `done` gets
  // DEADLINE_EXCEEDED with the last error (connection refused, name not found,
  // another task at that address); if it is cancelled, the reason with it.
  // `context` lives until `done`.
  virtual void Identify(CallContext& context, Done done) = 0;
};

struct PeersOptions {
  TaskName self;
  ClusterSpec cluster;
  std::shared_ptr<Transport> transport;
  WorkerApi* self_worker = nullptr;  // calls to self go there directly
  // Cluster propagation: servers report devices under other names of job and
  // task; take them, under this cluster's names. Else that is an error.
  bool rename_devices = false;
  Lanes* lanes = nullptr;  // for timers and probes; null: Lanes::Process()
  int64_t probe_interval_ms = 1000;
  int probe_misses = 3;
  std::shared_ptr<Traffic> traffic;  // of calls to others; null: not counted
};

// Thread-safe. Peers may outlive this object, lanes and transport must outlive
// both.
class Peers {
 public:
  virtual ~Peers() = default;
  // NOT_FOUND if the cluster has no such task.
  virtual StatusOr<Ref<Peer>> Find(const TaskName& task) = 0;
  virtual std::vector<Ref<Peer>> All() = 0;
  virtual const ClusterSpec& cluster() const = 0;
};

std::unique_ptr<Peers> MakePeers(PeersOptions options);

}  // namespace millrace
