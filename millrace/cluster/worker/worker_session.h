// WorkerSession: a worker's state for a session of some master.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "millrace/base/threads/cancel.h"
#include "millrace/cluster/peers.h"
#include "millrace/cluster/request_log.h"
#include "millrace/cluster/worker/graph_table.h"
#include "millrace/cluster/worker/registered_graph.h"
#include "millrace/cluster/worker/remote_functions.h"
#include "millrace/kernel/device_retirement.h"
#include "millrace/kernel/session_tensors.h"
#include "millrace/protocol/worker.h"

namespace millrace {

class WorkerState;
class RunGraphCall;
class PartialRun;

// Thread-safe. Calls in flight share it; its kernels and its own devices are
// destroyed with it.
class WorkerSession : public RefCounted {
 public:
  // Isolated sessions get devices of their own, with the names and incarnations
  // of the server's; a cluster in `request.server_def` brings names and tasks
  // of its own, also for sessions that share their state with others.
  static StatusOr<Ref<WorkerSession>> Make(
      WorkerState& worker, const CreateWorkerSessionRequest& request);
  ~WorkerSession() override;

  const std::string& handle() const { return handle_; }
  const TaskName& task() const { return task_; }  // this task's name here
  // Returns the beginning of the rendezvous keys of this task's devices,
  // "/job:j/replica:0/task:1/".
  const std::shared_ptr<const std::string>& key_prefix() const {
    return key_prefix_;
  }
  const std::string& master_task() const { return master_task_; }
  // Whether the session's master is at another task.
  bool master_is_elsewhere() const { return master_is_elsewhere_; }
  int64_t master_incarnation() const { return master_incarnation_; }
  // Devices of isolated sessions.
  const std::vector<std::unique_ptr<Device>>& own_devices() const {
    return own_devices_;
  }
  Peers* peers() const { return peers_; }
  // Returns null if there is none of that name.
  Device* FindDevice(absl::string_view name) const;
  CancelScope& scope() { return scope_; }
  // Returns the tensors that GetSessionHandle keeps on this task.
  SessionTensors& tensors() { return tensors_; }
  // The session's id in MasterWatch; 0: its master is not watched.
  uint64_t watch() const { return watch_.load(std::memory_order_relaxed); }
  void set_watch(uint64_t watch) {
    watch_.store(watch, std::memory_order_relaxed);
  }

  // Compiles the graph, unless the same one is registered already, and returns
  // its handle. Returns ABORTED for a registration that has been removed.
  StatusOr<std::string> RegisterGraph(const RegisterGraphRequest& request);
  // Removes the handle. Running steps keep their graph; the kernels of its
  // stateful nodes stay in this session. Returns what can be freed now, for the
  // caller to drop; null if nothing has that handle.
  std::shared_ptr<RegisteredGraph> DeregisterGraph(const std::string& handle);
  // Returns ABORTED "Graph handle is not found: ..." if there is none.
  StatusOr<std::shared_ptr<RegisteredGraph>> FindGraph(
      const std::string& handle);
  // See RegisteredGraph.
  StatusOr<std::shared_ptr<const PlanSet>> BuildPartialPlans(
      RegisteredGraph& graph);
  struct Counts {
    int64_t graphs = 0;   // registered
    int64_t plans = 0;    // compiled graphs, also those that only steps use
    int64_t kernels = 0;  // of those and of stateful nodes
  };
  Counts counts() const;

  // Calls of RunGraph by request id.
  RequestLog<RunGraphCall>& runs() { return runs_; }
  // Held while a partial run begins, so that a step has only one.
  Mutex& partial_runs_begin() { return partial_runs_begin_; }
  // Partial runs by step id; find returns null if there is none, add returns
  // false if there is one.
  Ref<PartialRun> FindPartialRun(int64_t step_id);
  bool AddPartialRun(int64_t step_id, const Ref<PartialRun>& run);
  void RemovePartialRun(int64_t step_id);

  // Ends its runs with `reason`, and frees its tensors and the state of its own
  // devices.
  void End(const Status& reason);

 private:
  WorkerSession(WorkerState& worker, const CreateWorkerSessionRequest& request);

  const std::string handle_;
  const std::string master_task_;
  const int64_t master_incarnation_;
  const OpRegistry* const ops_;
  const FunctionDifferentiator differentiate_;
  TaskQueue* const pool_;
  TaskName task_;
  bool master_is_elsewhere_ = false;
  std::shared_ptr<const std::string> key_prefix_;
  std::shared_ptr<Peers> own_peers_;
  Peers* peers_ = nullptr;
  std::vector<std::unique_ptr<Device>> own_devices_;
  DeviceRetirement retirement_{own_devices_};
  std::vector<Device*> devices_;
  std::shared_ptr<RemoteFunctions> targets_;  // set by Make
  CancelScope scope_;
  SessionTensors tensors_;
  std::atomic<uint64_t> watch_{0};
  KernelCache kernels_;
  // Graphs may be destroyed after the session.
  const std::shared_ptr<std::atomic<int64_t>> num_plans_ =
      std::make_shared<std::atomic<int64_t>>(0);
  RequestLog<RunGraphCall> runs_;

  Mutex partial_runs_begin_;
  mutable Mutex mu_;  // guards all below
  GraphTable graphs_;
  absl::btree_map<int64_t, Ref<PartialRun>> partial_runs_;
};

}  // namespace millrace
