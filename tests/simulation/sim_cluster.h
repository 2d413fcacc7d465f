// SimCluster: the servers of a simulated cluster, each in a process of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/base/files/memory_files.h"
#include "millrace/base/sim/sim.h"
#include "millrace/cluster/server.h"
#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/protocol/peer.h"
#include "millrace/rpc/fault/fault_network.h"

namespace millrace::sim {

// Return the tables of all ops and kernels, built once per process, before any
// simulation.
const OpRegistry& Ops();
const KernelTable& Kernels();

// Used by threads of one simulation; Start, Kill and the destructor by one of
// them. Tasks are numbered: first the ps, then the workers.
class SimCluster {
 public:
  SimCluster(int num_ps, int num_workers);
  ~SimCluster();  // stops the running tasks

  int num_ps() const { return num_ps_; }
  int num_tasks() const { return static_cast<int>(tasks_.size()); }
  int worker(int index) const { return num_ps_ + index; }
  const TaskName& name(int task) const { return tasks_[task].name; }
  std::string address(int task) const;
  // Returns "grpc://..." of worker `index`.
  std::string worker_target(int index) const;

  // Starts the task unless it runs: a new process, a new incarnation.
  void Start(int task);
  // Ends the task as kill -9 would.
  void Kill(int task);
  bool running(int task) const { return tasks_[task].server != nullptr; }
  // Returns how many times the task was started: the number of its incarnation.
  int life(int task) const { return tasks_[task].life; }
  // Freezes the task: it is silent for this time.
  void FreezeFor(int task, int64_t nanos);
  void Thaw(int task);

  // Returns the reply of millrace.Admin.
  StatusOr<ServerStatusReply> ServerStatus(int task);

  FaultNetwork& network() { return network_; }
  // Returns the disk of the world, which all processes share.
  MemoryFiles& files() { return *files_; }
  // Cuts the disk's power. No process ends by that, so a writer may believe
  // that something is durable which is not; hence the count.
  void CrashDisk() {
    ++disk_crashes_;
    files_->Crash();
  }
  int64_t disk_crashes() const { return disk_crashes_; }

 private:
  struct Task {
    TaskName name;
    int port = 0;
    int life = 0;
    SimProcess process = 0;
    std::unique_ptr<Server> server;
  };
  const int num_ps_;
  ClusterSpec cluster_;
  FaultNetwork network_;
  MemoryFiles* const files_;
  int64_t disk_crashes_ = 0;
  std::vector<Task> tasks_;
};

}  // namespace millrace::sim
