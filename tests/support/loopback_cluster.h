// A cluster of servers in this process, and clients of it, for tests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "millrace/base/sim/sim.h"
#include "millrace/cluster/server.h"
#include "millrace/protocol/master.h"
#include "millrace/rpc/loopback/loopback.h"

namespace millrace {

// Return the ops and kernels of this program, built once.
const OpRegistry& TestOps();
const KernelTable& TestKernels();

// Servers connected by a loopback network. In a simulation each start of a task
// is a simulated process of its own.
class LoopbackCluster {
 public:
  using Change = std::function<void(ServerOptions*)>;

  // `jobs` is like {{"ps", 2}, {"worker", 1}}. No task runs yet. `change` may
  // set options of each server.
  explicit LoopbackCluster(const std::map<std::string, int>& jobs,
                           Change change = {});
  // Kills all running tasks.
  ~LoopbackCluster();

  std::vector<TaskName> tasks() const { return cluster_.Tasks(); }
  // Start all tasks, or one; also again after a kill.
  void StartAll();
  void Start(const TaskName& task);
  void Stop(const TaskName& task);
  void Kill(const TaskName& task);
  Server& server(const TaskName& task) { return *running_.at(task).server; }
  // Returns the process of the task's current or last start.
  SimProcess process(const TaskName& task) const {
    return running_.at(task).process;
  }
  const std::shared_ptr<Transport>& network() const { return network_; }
  std::string Address(const TaskName& task) const {
    return cluster_.Address(task).value();
  }

 private:
  struct Running {
    std::unique_ptr<Server> server;
    SimProcess process = 0;
  };

  const std::shared_ptr<Transport> network_;
  const Change change_;
  ClusterSpec cluster_;
  std::map<TaskName, Running> running_;
};

// A session of a client; each call blocks. Not thread-safe, except for Run.
class TestSession {
 public:
  // A session at the server of task `master`; nothing is sent yet.
  TestSession(const LoopbackCluster& cluster, const TaskName& master);

  Status Create(GraphDef graph, ConfigOptions config = {},
                Deadline deadline = Deadline::Infinite());
  Status Extend(GraphDef graph);
  struct RunArgs {
    std::vector<NamedTensor> feeds;
    std::vector<std::string> fetches;
    std::vector<std::string> targets;
    RunOptions options = {};
    CancelScope* cancel = nullptr;
    RunMetadata* metadata = nullptr;
  };
  // Returns the error in the body, or the RPC's with the prefix "rpc: ".
  StatusOr<std::vector<Tensor>> Run(RunArgs args);
  // Fetches one float.
  StatusOr<float> Fetch(const std::string& name);
  Status Target(const std::string& name) {
    return Run({.feeds = {}, .fetches = {}, .targets = {name}}).status();
  }
  StatusOr<ListDevicesReply> ListDevices();
  Status Close();
  Status Reset(std::vector<std::string> containers);

  const std::string& handle() const { return handle_; }
  MasterApi& master() { return *master_; }

 private:
  std::shared_ptr<Caller> caller_;
  std::unique_ptr<MasterApi> master_;
  std::string handle_;
  int64_t version_ = 0;
};

// Calls a method and blocks until it has ended.
template <class Api, class Request, class Reply>
Status CallAndWait(
    Api& api, void (Api::*method)(CallContext&, const Request&, Reply*, Done),
    const Request& request, Reply* reply, CallContext context = {}) {
  Status status;
  Notification answered;
  (api.*method)(context, request, reply, Done([&](Status s) {
                  status = std::move(s);
                  answered.Notify();
                }));
  answered.Wait();
  return status;
}

}  // namespace millrace
