// Server: one task of a cluster, with its master and worker services.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/cluster/cluster_spec.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/run_signature.h"
#include "millrace/protocol/config.h"
#include "millrace/rpc/transport.h"

namespace millrace {

struct ServerOptions {
  ClusterSpec cluster;
  TaskName task;
  // The cluster comes by SetCluster: until then the server listens (at `bind`
  // or loopback) and answers Admin only; calls of peers are told to come again.
  bool cluster_later = false;
  // Where to listen; empty: the host of the cluster's entry (loopback if that
  // names this machine's loopback). Port -1: the entry's port; 0: a free one.
  std::string bind;
  int port = -1;
  // "host:port" under which others reach this server, where that is not where
  // it listens (port 0: the real one). Shown by target().
  std::string advertise;
  // Beyond loopback clients must prove who they are (not there yet), or this
  // must be set.
  bool insecure = false;
  std::map<std::string, int> device_count;  // {"CPU": 2, "GPU": 1}
  bool fake_gpu = false;
  // How long a session waits for a task that its graph needs.
  int64_t session_wait_ms = 300'000;
  int64_t probe_interval_ms = 1'000;            // of failure detection
  size_t max_prepared_runs = kMaxPreparedRuns;  // of a session
  int64_t clock_skew_nanos = 0;  // of traces: a test's other machine
  std::string file_root;         // empty: everywhere
  ConfigOptions default_session_config;
  // Given from above, so that many servers share a process, also simulated.
  std::shared_ptr<Transport> transport;
  const OpRegistry* ops = nullptr;
  const KernelTable* kernels = nullptr;
  FileSystem* files = nullptr;  // null: DefaultFiles()
  Lanes* lanes = nullptr;       // null: Lanes::Process()
};

// Thread-safe. Several may live in one process; they share lanes, never
// devices or resources.
class Server {
 public:
  // Listens when this returns. INVALID_ARGUMENT for options that do not fit,
  // UNAVAILABLE "... address already in use" for a taken port,
  // FAILED_PRECONDITION beyond loopback without `insecure`.
  static StatusOr<std::unique_ptr<Server>> Start(ServerOptions options);
  virtual ~Server() = default;  // stops it first, without grace

  // Once, of a server that was started with `cluster_later`. INVALID_ARGUMENT
  // if its task is not in the cluster.
  virtual Status SetCluster(ClusterSpec cluster) = 0;

  // "grpc://host:port" for clients.
  virtual std::string target() const = 0;
  virtual int port() const = 0;
  virtual const TaskName& task() const = 0;

  // Drains: no new sessions and steps, what runs is cancelled with ABORTED
  // after `grace_ms`, at most two seconds in all. Idempotent; Join returns.
  // Waits for the end, so never on a control lane.
  virtual void Stop(int64_t grace_ms = 1'000) = 0;
  // As a kill would: nothing is answered any more, open calls of others break.
  // For tests and simulations.
  virtual void Kill() = 0;
  // Waits for the end, by whatever called Stop.
  virtual void Join() = 0;
};

}  // namespace millrace
