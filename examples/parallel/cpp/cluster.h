// What a program trains on: parameter servers and workers of this machine, a
// process each. The clients are threads of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "examples/parallel/cpp/parallel.h"
#include "examples/support/server_processes.h"
#include "millrace/millrace.h"

namespace millrace::parallel {

struct Tasks {
  int ps = 1;
  int workers = 2;
  std::vector<int> cores = {};  // of the workers, in turn; empty: shared
};

// All but Start and Reset may be used by several threads.
class Cluster {
 public:
  // Starts the command options.server for each task; they end with this object.
  static StatusOr<std::unique_ptr<Cluster>> Start(const Options& options,
                                                  const Tasks& tasks);
  ~Cluster();

  int ps() const { return tasks_.ps; }
  int workers() const { return tasks_.workers; }
  // "/job:worker/task:1"
  static std::string Worker(int worker);
  // A session whose master is that worker. A run fails with DEADLINE_EXCEEDED
  // after two minutes.
  SessionOptions Master(int worker = 0) const;
  // The same, with the task of a device: "/job:ps/task:0".
  SessionOptions MasterOf(const std::string& device) const;
  // A new graph. What it keeps on the servers is forgotten by Reset.
  Scope NewGraph() const;
  // Variables go to the ps in turn, all else to that worker.
  Scope ReplicaOf(const Scope& graph, int worker) const;
  // Forgets what earlier graphs left on the servers, and closes their sessions.
  Status Reset();

  // Of tensors, from task to task since the start.
  StatusOr<int64_t> BytesBetweenTasks() const;

 private:
  explicit Cluster(const Tasks& tasks) : tasks_(tasks) {}

  const Tasks tasks_;
  std::string log_dir_;  // stays if a server ended by itself
  std::unique_ptr<examples::ServerProcesses> servers_;
};

// Calls `work` with 0 to `count` - 1, each on a thread of its own, and returns
// the first error of them once all have ended.
Status OnThreads(int count, const std::function<Status(int)>& work);

}  // namespace millrace::parallel
