// ServerProcesses: a cluster of ps and worker servers, a process each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/support/process.h"
#include "millrace/millrace.h"

namespace millrace::examples {

struct ServerProcessesOptions {
  int ps = 2;
  int workers = 2;
  std::string server;   // the command `millrace`
  std::string log_dir;  // of what they say; made if it is not there
  // On which the workers run, in turn, each on one alone and with one thread
  // for kernels. Empty: the cores are shared.
  std::vector<int> cores;
};

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
  int64_t bytes_sent = 0;
  int64_t bytes_received = 0;
  int64_t steps = 0;
};
// `address`: "host:port". DEADLINE_EXCEEDED after 10 seconds.
StatusOr<ServerFigures> FiguresOf(const std::string& address);

// The command `millrace` of the build that this program is of:
// build/release/examples/demo -> build/release/millrace.
std::string ServerBesideProgram();

// One thread.
class ServerProcesses {
 public:
  explicit ServerProcesses(ServerProcessesOptions options);

  // Starts all on free loopback ports, tells them the cluster, and waits until
  // each answers sessions.
  Status Start();
  // At its old address.
  Status Restart(ServerProcess& server);
  // Asks all to stop, and ends those that do not.
  void Stop();

  std::vector<ServerProcess>& servers() { return servers_; }
  ServerProcess& worker(int index);
  const std::string& log_dir() const { return options_.log_dir; }

 private:
  std::string PathOf(const ServerProcess& server, const char* suffix) const;
  Status Launch(ServerProcess& server, int port);
  Status AwaitPort(ServerProcess& server);
  Status AwaitCluster(ServerProcess& server);

  const ServerProcessesOptions options_;
  const std::string cluster_file_;
  std::vector<ServerProcess> servers_;  // ps, then workers
};

}  // namespace millrace::examples
