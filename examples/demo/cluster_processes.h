// ClusterProcesses: the demo's ps and worker servers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/demo/demo_options.h"
#include "examples/demo/process.h"
#include "millrace/cluster/cluster_spec.h"

namespace millrace::demo {

struct ServerProcess {
  TaskName task;
  int port = 0;
  Process process;
  int restarts = 0;

  std::string name() const;  // "ps 0"
  std::string address() const;
};

// What a server counts, asked over its Admin service.
struct ServerFigures {
  bool known = false;
  int64_t bytes_sent = 0;
  int64_t bytes_received = 0;
  int64_t steps = 0;
};

// One thread.
class ClusterProcesses {
 public:
  explicit ClusterProcesses(const DemoOptions& options);

  // Starts all on free loopback ports and tells them the cluster.
  Status Start();
  // At its old address.
  Status Restart(ServerProcess& server);
  // Asks all to stop, and ends those that do not.
  void Stop();

  std::vector<ServerProcess>& servers() { return servers_; }
  ServerProcess& worker(int index);
  ServerFigures FiguresOf(const ServerProcess& server) const;
  const std::string& log_dir() const { return log_dir_; }

 private:
  std::string PathOf(const ServerProcess& server, const char* suffix) const;
  Status Launch(ServerProcess& server, int port);
  Status AwaitPort(ServerProcess& server);

  const DemoOptions options_;
  const std::string log_dir_;
  const std::string cluster_file_;
  std::vector<ServerProcess> servers_;  // ps, then workers
};

}  // namespace millrace::demo
