// MasterSession: one session of a client at this master.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "millrace/cluster/master/environment.h"
#include "millrace/cluster/master/run/partial_steps.h"
#include "millrace/cluster/master/run/run_cache.h"
#include "millrace/cluster/master/serial_queue.h"
#include "millrace/cluster/master/session_graph.h"
#include "millrace/cluster/master/task_filter.h"
#include "millrace/cluster/request_log.h"

namespace millrace {

class RunStep;

// Thread-safe. What it does in several steps lies in files of its own:
// extend_graph, prepare_run, run_step, close_session.
class MasterSession final : public RefCounted {
 public:
  // `target` is the client's name for this server; it tells who this task is
  // in a cluster that the session brings. INVALID_ARGUMENT for device filters
  // and clusters that make no sense. `environment` outlives the session.
  static StatusOr<Ref<MasterSession>> Make(MasterEnvironment& environment,
                                           ConfigOptions config,
                                           const std::string& target);

  // 16 random hex digits.
  const std::string& handle() const { return handle_; }
  const ConfigOptions& config() const { return config_; }
  MasterEnvironment& environment() const { return environment_; }
  // This task, as the session's cluster calls it.
  const TaskName& self() const { return self_; }
  const TaskFilter& filter() const { return filter_; }
  Peers& peers() const { return own_peers_ ? *own_peers_ : *shared_peers_; }
  // The session brought a cluster of its own.
  bool is_propagated() const { return own_peers_ != nullptr; }
  // Cancelled when the session is closed.
  CancelScope* scope() { return &scope_; }

  // Changes of the graph and what reads it take turns here.
  SerialQueue& graph_turns() { return graph_turns_; }
  // Only for who has a turn.
  SessionGraph& graph() { return graph_; }

  // The prepared run of that signature; if there is none, one whose
  // preparation begins now (prepare_run.h).
  Ref<PreparedRun> Prepare(const RunStepRequest& request);
  Ref<PreparedRun> Prepare(const CallableOptions& options);
  // A run whose preparation failed: the next one tries again.
  void Forget(const PreparedRun* run);
  // How many it keeps for later, and how many callables have one of their own.
  int64_t num_prepared_runs();
  const Ref<GraphRelease>& graph_release() const { return graph_release_; }
  // Of RegisterGraph: no two are equal.
  int64_t NewRegistration() {
    return next_registration_.fetch_add(1, std::memory_order_relaxed);
  }

  // Callables.
  struct Callable {
    CallableOptions options;
    Ref<PreparedRun> run;
  };
  int64_t AddCallable(CallableOptions options, Ref<PreparedRun> run);
  // INVALID_ARGUMENT "No such callable handle: ...".
  StatusOr<std::shared_ptr<const Callable>> FindCallable(int64_t handle);
  Status RemoveCallable(int64_t handle);

  PartialSteps& partial_steps() { return partial_steps_; }

  // Steps in progress. Enter fails with the reason if the session is closed.
  // If the request came before, `*twin` is its step if that still runs (no
  // entry is made then, and the caller attaches to it), and ABORTED comes back
  // if it has ended.
  Status Enter(RunStep* step, int64_t request_id, Ref<RunStep>* twin);
  void Leave(RunStep* step);
  // The steps in progress, in the order of their start.
  std::vector<Ref<RunStep>> Steps();
  int64_t num_steps();

  // Random, positive, 56 bits.
  int64_t NewStepId();

  // Tasks that have, or may have, a worker session. False if the session was
  // closed meanwhile: then the caller deletes the worker session that it made.
  bool AddWorkerSession(Ref<Peer> peer);

  // No new steps; those in progress end with `reason`. Gives the tasks on which
  // a worker session must be deleted (close_session.h); nothing if it was
  // closed before.
  std::vector<Ref<Peer>> MarkClosed(const Status& reason);
  // OK, or why it was closed.
  Status closed();

 private:
  MasterSession(MasterEnvironment& environment, ConfigOptions config);
  ~MasterSession() override;

  MasterEnvironment& environment_;
  const std::string handle_;
  const ConfigOptions config_;
  const uint64_t step_seed_;
  std::atomic<uint64_t> next_step_{1};
  std::atomic<int64_t> next_registration_{1};
  const Ref<GraphRelease> graph_release_;
  TaskName self_;
  TaskFilter filter_;
  Peers* shared_peers_ = nullptr;
  std::unique_ptr<Peers> own_peers_;
  CancelScope scope_;
  SerialQueue graph_turns_;
  SessionGraph graph_;
  PartialSteps partial_steps_;

  Mutex mu_;  // guards all below
  Status closed_;
  RunCache runs_;
  absl::flat_hash_map<int64_t, std::shared_ptr<const Callable>> callables_;
  int64_t next_callable_ = 1;
  RequestLog<RunStep> requests_;
  RunStep* first_step_ = nullptr;  // a list through the steps
  RunStep* last_step_ = nullptr;
  int64_t num_steps_ = 0;
  std::vector<Ref<Peer>> worker_sessions_;
};

}  // namespace millrace
