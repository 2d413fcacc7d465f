// The cluster that the examples of this folder run on: two parameter servers
// and two workers in this process, or one that runs elsewhere.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "millrace/millrace.h"

namespace millrace::distributed {

class Cluster {
 public:
  // The jobs ps and worker with two tasks each, that call each other without
  // sockets.
  static StatusOr<std::unique_ptr<Cluster>> InThisProcess();
  // The workers' addresses, "grpc://host:port", in their order. The cluster has
  // at least two ps and sees this machine's files.
  explicit Cluster(std::vector<std::string> worker_targets);
  ~Cluster();

  int workers() const { return static_cast<int>(targets_.size()); }
  // A session whose master is that worker.
  SessionOptions Master(int worker = 0) const;
  // A new graph. What it keeps on the servers lies in a container of its own,
  // so that the examples leave nothing behind.
  Scope NewGraph() const;
  // Forgets what earlier graphs left there.
  Status Reset() const;

 private:
  std::vector<std::string> targets_;
  std::shared_ptr<LoopbackNetwork> network_;  // null: gRPC
  std::vector<std::unique_ptr<Server>> servers_;
};

// Where the nodes of a step ran, as the servers say: {"x": "ps 1"}.
StatusOr<std::map<std::string, std::string>> Placement(
    Session& session, const std::vector<Output>& fetches);

}  // namespace millrace::distributed
