// What a network trains on: two parameter servers and a worker for each client,
// all in processes of their own; and the clients beside the chief, which is
// this process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "examples/support/process.h"
#include "examples/support/server_processes.h"
#include "millrace/millrace.h"

namespace millrace::networks {

inline constexpr int kPs = 2;

// One thread.
class Cluster {
 public:
  // Servers on this machine, which end with this object. `server`: the command
  // `millrace`.
  static StatusOr<std::unique_ptr<Cluster>> Start(const std::string& server,
                                                  int workers);
  // Servers that run: the addresses of workers, "grpc://host:port", in their
  // order. There are two ps.
  static std::unique_ptr<Cluster> Running(
      std::vector<std::string> worker_targets);
  ~Cluster();

  int workers() const { return static_cast<int>(targets_.size()); }
  // A session whose master is that worker.
  SessionOptions Master(int worker) const {
    return {.target = targets_[static_cast<size_t>(worker)]};
  }

  // Starts this program with `arguments` and "--client N", for N from 1 to
  // `count` - 1.
  Status StartClients(const std::vector<std::string>& arguments, int count);
  // Waits for their ends, once the last step is done. INTERNAL if one did not
  // end well, DEADLINE_EXCEEDED if one has not ended after two minutes.
  Status AwaitClients();

  bool has_own_servers() const { return servers_ != nullptr; }
  // Of tensors from task to task since the start; of own servers only.
  StatusOr<int64_t> BytesBetweenTasks() const;

  // What servers and clients said, which stays unless this is called.
  Status DeleteLogs();

 private:
  Cluster() = default;
  Status MakeLogFolder();  // unless there is one

  std::string log_dir_;
  std::unique_ptr<examples::ServerProcesses> servers_;  // null: others'
  std::vector<std::string> targets_;
  std::vector<examples::Process> clients_;
};

}  // namespace millrace::networks
