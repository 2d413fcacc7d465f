// Session: runs parts of a graph, in this process or on a cluster.
//
//   Session session(scope);                                   // this process
//   Session session(scope, {.target = "grpc://host:2222"});   // a cluster
//   auto out = session.Run({{x, {1.0f, 2.0f}}}, {y});
//   if (!out.ok()) { ... out.status(), FailedNode(out.status()) ... }
//
// A local session has variables of its own and loses them when it closes; a
// session of a cluster finds its variables on the servers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/files/file.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/client/input.h"
#include "millrace/client/scope.h"
#include "millrace/graph/device_attributes.h"
#include "millrace/graph/function/differentiator.h"
#include "millrace/protocol/config.h"
#include "millrace/protocol/run_options.h"
#include "millrace/protocol/step_stats.h"
#include "millrace/rpc/transport.h"

namespace millrace {

class KernelTable;

struct SessionOptions {
  std::string target;  // "" or "local": this process; "grpc://host:port"
  ConfigOptions config;
  // Reaches the servers of a cluster; null: gRPC.
  std::shared_ptr<Transport> transport;
  // How long to wait for a server that cannot be reached, unless
  // config.operation_timeout_ms is set.
  int64_t connect_timeout_ms = 300'000;
  // Serve a local session; null: those with which the program was linked, and
  // DefaultFiles().
  const KernelTable* kernels = nullptr;
  FileSystem* files = nullptr;
  // Builds the gradients that nodes of a local session's graph name
  // (SymbolicGradient), as DifferentiateFunction does; null: that is an error.
  FunctionDifferentiator differentiate = nullptr;
};

// A tensor and the value that replaces it in a run. Values written in C++ are
// converted to its type.
struct Feed {
  Output tensor;
  Literal value;
};

// The optional arguments of a run besides feeds, fetches and targets.
struct RunContext {
  RunOptions options;
  RunMetadata* metadata = nullptr;
  CancelScope* cancel = nullptr;  // ends the run when it is cancelled
};

class SessionBackend;
class BackendRun;

// A run whose feeds, fetches and targets are fixed, which makes it cheaper.
// Thread-safe. May outlive its session, whose runs then fail.
class Callable {
 public:
  Callable() = default;

  // Runs it with `feeds` in the order given to Prepare, of exactly the tensors'
  // types. Of context.options only timeout_ms is used, if it is shorter than
  // what Prepare's options or the session allow; other options that differ from
  // Prepare's are INVALID_ARGUMENT.
  StatusOr<std::vector<Tensor>> Run(std::vector<Tensor> feeds = {},
                                    const RunContext& context = {}) const;

 private:
  friend class Session;
  std::shared_ptr<BackendRun> run_;
};

// Thread-safe: several threads may run steps concurrently. The graph may grow
// between runs; the next run sends what is new. Nothing is sent or started
// before the first run.
class Session {
 public:
  explicit Session(const Scope& scope, const SessionOptions& options = {});
  explicit Session(Ref<ClientGraph> graph, const SessionOptions& options = {});
  // Closes the session.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Returns the values of `fetches`, in their order, after `targets` have run.
  // Each op runs at most once. Fails with the graph's error if it has one; with
  // the error of the op that failed, whose node FailedNode returns; with
  // DEADLINE_EXCEEDED after context.options.timeout_ms or
  // config.operation_timeout_ms; with CANCELLED when the session closes; with
  // ABORTED or UNAVAILABLE if a server was lost.
  StatusOr<std::vector<Tensor>> Run(const std::vector<Output>& fetches);
  StatusOr<std::vector<Tensor>> Run(
      const std::vector<Feed>& feeds, const std::vector<Output>& fetches,
      const std::vector<ControlInput>& targets = {},
      const RunContext& context = {});
  // Runs ops for their side effects.
  Status RunTargets(const std::vector<ControlInput>& targets,
                    const RunContext& context = {});
  Status RunTargets(const std::vector<Feed>& feeds,
                    const std::vector<ControlInput>& targets,
                    const RunContext& context = {});

  StatusOr<Callable> Prepare(const std::vector<Output>& feeds,
                             const std::vector<Output>& fetches,
                             const std::vector<ControlInput>& targets = {},
                             const RunOptions& options = {});

  // A step that is fed and fetched in several calls: SetUpPartialRun says what
  // they will feed and fetch and returns a handle; each RunPartially feeds and
  // fetches some of it, with the values that are there by then. The step ends
  // with the call after which all is fed and fetched, with the first error, or
  // with the session. Returns INVALID_ARGUMENT, and changes nothing, for what
  // was not announced or came before, and for a fetch that needs a feed which
  // has not come.
  StatusOr<std::string> SetUpPartialRun(
      const std::vector<Output>& feeds, const std::vector<Output>& fetches,
      const std::vector<ControlInput>& targets = {});
  StatusOr<std::vector<Tensor>> RunPartially(const std::string& handle,
                                             const std::vector<Feed>& feeds,
                                             const std::vector<Output>& fetches,
                                             const RunContext& context = {});

  StatusOr<std::vector<DeviceAttributes>> ListDevices();
  // Cancels running steps with CANCELLED; later runs fail. Idempotent.
  Status Close();

  // Sends the nodes added to the graph since the last time. Run does this
  // itself. After UNAVAILABLE the session can still be used: nodes that were
  // sent once are not added twice.
  Status Extend();

  const Ref<ClientGraph>& graph() const { return graph_; }
  const SessionOptions& options() const { return options_; }

  // Frees the resources of these containers on all tasks of a cluster (of the
  // default container if none is named) and closes the server's sessions.
  static Status Reset(const SessionOptions& options,
                      const std::vector<std::string>& containers);

 private:
  // An extension for the backend, and the mark at its end.
  struct Growth {
    GraphDef def;
    GraphMark end;
  };

  Status Ready();
  Status Grow(Growth growth);  // mu_ is held

  StatusOr<std::vector<Tensor>> FeedValues(
      const std::vector<Feed>& feeds) const;

  const Ref<ClientGraph> graph_;
  const SessionOptions options_;
  const std::unique_ptr<SessionBackend> backend_;

  Mutex mu_;  // guards all below; held while the backend grows
  GraphMark sent_;
  bool created_ = false;  // the backend has the graph up to sent_
  // An extension that may or may not have arrived: it is sent again before
  // anything else.
  std::optional<Growth> doubtful_;
  bool closed_ = false;
};

// Returns the node that a run's error names, "" if it names none.
std::string FailedNode(const Status& status);

}  // namespace millrace
