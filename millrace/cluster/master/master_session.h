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

class MasterStep;

// Thread-safe. Its operations of several steps have files of their own:
// extend_graph, prepare_run, run_step, close_session.
class MasterSession final : public RefCounted {
 public:
  // `target` is the client's name for this server; it tells which task of a
  // cluster that the session brings is this one. Returns INVALID_ARGUMENT for
  // invalid device filters and clusters. `environment` must outlive the
  // session.
  static StatusOr<Ref<MasterSession>> Make(MasterEnvironment& environment,
                                           ConfigOptions config,
                                           const std::string& target);

  // Returns 16 random hex digits.
  const std::string& handle() const { return handle_; }
  const ConfigOptions& config() const { return config_; }
  MasterEnvironment& environment() const { return environment_; }
  // Returns this task's name in the session's cluster.
  const TaskName& self() const { return self_; }
  const TaskFilter& filter() const { return filter_; }
  Peers& peers() const { return own_peers_ ? *own_peers_ : *shared_peers_; }
  // Returns whether the session brought a cluster of its own.
  bool is_propagated() const { return own_peers_ != nullptr; }
  // Cancelled when the session is closed.
  CancelScope* scope() { return &scope_; }

  // Serializes the operations that change or read the graph.
  SerialQueue& graph_turns() { return graph_turns_; }
  // Requires: the caller has the turn.
  SessionGraph& graph() { return graph_; }

  // Returns the prepared run of that signature; if there is none, adds one and
  // begins to prepare it (prepare_run.h).
  Ref<PreparedRun> Prepare(const RunStepRequest& request);
  Ref<PreparedRun> Prepare(const CallableOptions& options);
  // Drops a run whose preparation failed, so that the next step prepares it
  // again.
  void Forget(const PreparedRun* run);
  // Returns the number of runs in the cache, and that of callables that have
  // one of their own.
  int64_t num_prepared_runs();
  const Ref<GraphRelease>& graph_release() const { return graph_release_; }
  // Returns a new number for RegisterGraph.
  int64_t NewRegistration() {
    return next_registration_.fetch_add(1, std::memory_order_relaxed);
  }

  // Callables.
  struct Callable {
    CallableOptions options;
    Ref<PreparedRun> run;
  };
  int64_t AddCallable(CallableOptions options, Ref<PreparedRun> run);
  // Returns INVALID_ARGUMENT "No such callable handle: ..." if there is none.
  StatusOr<std::shared_ptr<const Callable>> FindCallable(int64_t handle);
  // Does nothing if there is none, as when a client asks again.
  void RemoveCallable(int64_t handle);

  PartialSteps& partial_steps() { return partial_steps_; }

  // Adds a step in flight. Fails with the reason if the session is closed. For
  // a duplicate request, sets `*twin` to its step if that still runs (the
  // caller attaches to it, and no step is added), or returns ABORTED if it has
  // ended.
  Status Enter(MasterStep* step, int64_t request_id, Ref<MasterStep>* twin);
  void Leave(MasterStep* step);
  // Returns the steps in flight, in the order of their start.
  std::vector<Ref<MasterStep>> Steps();
  int64_t num_steps();

  // Returns a random positive number of 56 bits.
  int64_t NewStepId();

  // Adds a task that has, or may have, a worker session. Returns false if the
  // session was closed meanwhile: then the caller deletes the worker session
  // that it created.
  bool AddWorkerSession(Ref<Peer> peer);

  // Refuses new steps, and ends those in flight with `reason`. Returns the
  // tasks on which a worker session must be deleted (close_session.h); none if
  // it was closed before.
  std::vector<Ref<Peer>> MarkClosed(const Status& reason);
  // Returns OK, or the reason for which it was closed.
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
  RequestLog<MasterStep> requests_;
  MasterStep* first_step_ = nullptr;  // a list linked through the steps
  MasterStep* last_step_ = nullptr;
  int64_t num_steps_ = 0;
  std::vector<Ref<Peer>> worker_sessions_;
};

}  // namespace millrace
