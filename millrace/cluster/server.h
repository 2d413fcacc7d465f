// Server: one task of a cluster, with its master and worker services.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "millrace/base/files/file.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/cluster/cluster_spec.h"
#include "millrace/device/gpu_setup.h"
#include "millrace/graph/function/differentiator.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/pass/run_signature.h"
#include "millrace/protocol/config.h"
#include "millrace/rpc/transport.h"

namespace millrace {

struct ServerOptions {
  ClusterSpec cluster;
  TaskName task;
  // The cluster is set by SetCluster: until then the server listens (at `bind`
  // or loopback) and answers Admin only; peers' calls fail with a status that
  // makes them retry.
  bool cluster_later = false;
  // Host on which to listen; empty: that of the task's entry in the cluster
  // (loopback if that names this machine's loopback). Port -1: the entry's
  // port; 0: a free one.
  std::string bind;
  int port = -1;
  // "host:port" at which others reach this server, if that is not where it
  // listens (port 0: the real one). Shown by target().
  std::string advertise;
  // Allows to listen beyond loopback without authentication of clients, which
  // does not exist yet.
  bool insecure = false;
  // {"CPU": 2, "GPU": 1}. Without "GPU", every GPU that is visible; none for
  // the job "ps", unless `gpu` says which devices.
  std::map<std::string, int> device_count;
  bool fake_gpu = false;
  GpuSetup gpu;  // of GPUs with hardware
  // How long a session waits for a task that its graph needs.
  int64_t session_wait_ms = 300'000;
  int64_t probe_interval_ms = 1'000;            // of failure detection
  size_t max_prepared_runs = kMaxPreparedRuns;  // of a session
  int64_t clock_skew_nanos = 0;  // of traces; another machine in tests
  std::string file_root;         // empty: everywhere
  ConfigOptions default_session_config;
  // Passed in, so that many servers can share a process, also a simulated one.
  std::shared_ptr<Transport> transport;
  const OpRegistry* ops = nullptr;
  const KernelTable* kernels = nullptr;
  FunctionDifferentiator differentiate = nullptr;  // null: no gradients
  FileSystem* files = nullptr;                     // null: DefaultFiles()
  Lanes* lanes = nullptr;                          // null: Lanes::Process()
};

// Thread-safe. Several servers may live in one process; they share lanes, but
// not devices or resources.
class Server {
 public:
  // Starts a server, which listens when this returns. Returns INVALID_ARGUMENT
  // for options that do not fit together, UNAVAILABLE "... address already in
  // use" if the port is taken, FAILED_PRECONDITION beyond loopback without
  // `insecure`.
  static StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);
  virtual ~Server() = default;  // stops the server first, without grace

  // Sets the cluster of a server that was started with `cluster_later`. Returns
  // INVALID_ARGUMENT if its task is not in the cluster. Requires: called once.
  virtual Status SetCluster(ClusterSpec cluster) = 0;

  // Returns "grpc://host:port" for clients.
  virtual std::string target() const = 0;
  virtual int port() const = 0;
  virtual const TaskName& task() const = 0;

  // Drains the server: refuses new sessions and steps, cancels running steps
  // with ABORTED after `grace_ms`, and takes at most two seconds more.
  // Idempotent; Join returns. Blocks until the end, so it must not run on a
  // control lane.
  virtual void Stop(int64_t grace_ms = 1'000) = 0;
  // Ends the server as a kill would: nothing is answered any more, and others'
  // open calls break. For tests and simulations.
  virtual void Kill() = 0;
  // Blocks until the server has ended, whatever called Stop.
  virtual void Join() = 0;
};

}  // namespace millrace
