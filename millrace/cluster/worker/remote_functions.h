// RemoteFunctions: runs functions on other devices for a worker session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "millrace/cluster/master/run/client_edges.h"
#include "millrace/cluster/peers.h"
#include "millrace/kernel/function_targets.h"
#include "millrace/protocol/worker.h"

namespace millrace {

class WorkerState;

// A function for another task is registered there once, as a graph of its own,
// and runs as a step of its own. A task that has no session of the master gets
// one. Thread-safe; data sets' iterators may keep it longer than the session.
class RemoteFunctions final
    : public FunctionTargets,
      public std::enable_shared_from_this<RemoteFunctions> {
 public:
  // `session` is the request by which the session was made, `devices` are this
  // task's. `worker`, `devices` and `peers` must live until End.
  RemoteFunctions(WorkerState& worker, CreateWorkerSessionRequest session,
                  TaskName self, std::shared_ptr<Peers> peers,
                  std::vector<Device*> devices);

  Device* Find(absl::string_view name) override;
  void RunRemote(const StepEnvironment& environment,
                 const RemoteFunction& function, std::vector<Tensor> args,
                 FunctionRunner::RunDone done) override;
  // Also deletes the sessions that it has made, without waiting for that.
  void End() override;

 private:
  class Call;
  class Deletion;

  // A function that is registered at a task.
  struct Registered {
    uint64_t incarnation = 0;  // of the task
    std::string handle;        // of the graph
    ClientEdges edges;
  };

  // Requires mu_. Returns an error for a device that is not one of another
  // task.
  StatusOr<Ref<Peer>> PeerOf(const std::string& device);
  std::shared_ptr<const Registered> FindRegistered(const std::string& key);
  void SetRegistered(const std::string& key,
                     std::shared_ptr<const Registered> registered);
  void AddSession(const TaskName& task);

  WorkerState& worker_;
  const CreateWorkerSessionRequest session_;
  const TaskName self_;
  const std::shared_ptr<Peers> peers_;

  Mutex mu_;  // guards all below
  bool ended_ = false;
  std::vector<Device*> devices_;
  absl::btree_map<std::string, std::shared_ptr<const Registered>> registered_;
  absl::btree_set<TaskName> made_;  // tasks that got a session
};

}  // namespace millrace
