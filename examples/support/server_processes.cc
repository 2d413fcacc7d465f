#include "examples/support/server_processes.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "examples/support/cores.h"
#include "millrace/millrace.h"

namespace millrace::examples {
namespace {

constexpr int64_t kStartMs = 20'000;
constexpr int64_t kStopMs = 3'000;
constexpr int64_t kPollMs = 10;
constexpr int64_t kAdminMs = 10'000;
constexpr char kHost[] = "127.0.0.1";

}  // namespace

std::string ServerProcess::name() const {
  return absl::StrCat(task.job, " ", task.index);
}
std::string ServerProcess::address() const {
  return absl::StrCat(kHost, ":", port);
}

ServerProcesses::ServerProcesses(ServerProcessesOptions options)
    : options_(std::move(options)),
      cluster_file_(JoinPath(options_.log_dir, "cluster")) {}

std::string ServerProcesses::PathOf(const ServerProcess& server,
                                    const char* suffix) const {
  return JoinPath(options_.log_dir,
                  absl::StrCat(server.task.job, server.task.index, suffix));
}

Status ServerProcesses::Start() {
  FileSystem* const files = PosixFiles();
  MR_RETURN_IF_ERROR(files->CreateDirRecursively(options_.log_dir));
  // Of an earlier run; servers take it for this one's.
  files->Delete(cluster_file_).IgnoreError();
  for (const auto& [job, count] :
       {std::pair("ps", options_.ps), std::pair("worker", options_.workers)}) {
    for (int i = 0; i < count; ++i) {
      servers_.emplace_back();
      servers_.back().task = {.job = job, .index = i};
    }
  }
  for (ServerProcess& server : servers_) MR_RETURN_IF_ERROR(Launch(server, 0));
  std::string cluster;
  for (ServerProcess& server : servers_) {
    MR_RETURN_IF_ERROR(AwaitPort(server));
    absl::StrAppend(&cluster,
                    server.task.index > 0 ? ","
                    : cluster.empty()     ? ""
                                          : ";",
                    server.task.index > 0 ? "" : server.task.job + "=",
                    server.address());
  }
  MR_RETURN_IF_ERROR(WriteFileAtomically(files, cluster_file_, cluster + "\n"));
  for (ServerProcess& server : servers_) {
    MR_RETURN_IF_ERROR(AwaitCluster(server));
  }
  return OkStatus();
}

Status ServerProcesses::Launch(ServerProcess& server, int port) {
  PosixFiles()->Delete(PathOf(server, ".port")).IgnoreError();
  // The workers of one machine share its cores.
  int threads = std::max(1, UsableCores() / std::max(1, options_.workers));
  std::optional<int> core;
  if (!options_.cores.empty() && server.task.job == "worker") {
    core = options_.cores[static_cast<size_t>(server.task.index) %
                          options_.cores.size()];
    threads = 1;
  }
  const ScopedCore on_core(core);
  MR_RETURN_IF_ERROR(on_core.status());
  MR_ASSIGN_OR_RETURN(
      server.process,
      Process::Start(
          {options_.server, "server", "--job", server.task.job, "--task",
           absl::StrCat(server.task.index), "--cluster", "@" + cluster_file_,
           "--port", absl::StrCat(port), "--port_file", PathOf(server, ".port"),
           "--intra_op_threads", absl::StrCat(threads), "--log_level", "info",
           // Several of them may share a card.
           "--gpu_allow_growth"},
          PathOf(server, ".log"), /*talk=*/false));
  return OkStatus();
}

Status ServerProcesses::AwaitPort(ServerProcess& server) {
  const Deadline deadline = Deadline::AfterMillis(kStartMs);
  while (!deadline.expired()) {
    auto text = ReadFileToString(PosixFiles(), PathOf(server, ".port"));
    if (text.ok() &&
        absl::SimpleAtoi(absl::StripSuffix(*text, "\n"), &server.port)) {
      return OkStatus();
    }
    if (!server.process.running()) {
      return Internal("the server of ", server.name(), " ended with ",
                      server.process.HowItEnded(), "; see ",
                      PathOf(server, ".log"));
    }
    SleepUntil(Deadline::AfterMillis(kPollMs));
  }
  return DeadlineExceeded("the server of ", server.name(),
                          " did not listen within ", kStartMs, " ms; see ",
                          PathOf(server, ".log"));
}

// Until it has read the file, a server refuses sessions with ABORTED.
Status ServerProcesses::AwaitCluster(ServerProcess& server) {
  const Deadline deadline = Deadline::AfterMillis(kStartMs);
  for (;;) {
    Session session(Scope::NewRoot(), {.target = "grpc://" + server.address()});
    const Status listed = session.ListDevices().status();
    if (listed.code() != StatusCode::kAborted) return listed;
    if (!server.process.running() || deadline.expired()) {
      return Prefix(absl::StrCat("the server of ", server.name(), ", see ",
                                 PathOf(server, ".log"), ": "),
                    listed);
    }
    SleepUntil(Deadline::AfterMillis(kPollMs));
  }
}

Status ServerProcesses::Restart(ServerProcess& server) {
  ++server.restarts;
  MR_RETURN_IF_ERROR(Launch(server, server.port));
  return AwaitPort(server);
}

ServerProcess& ServerProcesses::worker(int index) {
  return servers_[static_cast<size_t>(options_.ps + index)];
}

StatusOr<ServerFigures> FiguresOf(const std::string& address) {
  const std::shared_ptr<Transport> transport = MakeGrpcTransport();
  const std::shared_ptr<Caller> caller = transport->Connect(address);
  const std::unique_ptr<AdminApi> admin = MakeAdminStub(caller.get());
  CallContext context;
  context.deadline = Deadline::AfterMillis(kAdminMs);
  const ServerStatusRequest request;
  ServerStatusReply reply;
  Status result;
  Notification answered;
  admin->ServerStatus(context, request, &reply, Done([&](Status status) {
                        result = std::move(status);
                        answered.Notify();
                      }));
  answered.Wait();
  MR_RETURN_IF_ERROR(result);
  return ServerFigures{.bytes_sent = reply.bytes_sent,
                       .bytes_received = reply.bytes_received,
                       .steps = reply.steps_done};
}

std::string ServerBesideProgram() {
  const StatusOr<std::string> path = OwnPath();
  if (!path.ok()) return "millrace";
  return JoinPath(Dirname(std::string(Dirname(*path))), "millrace");
}

void ServerProcesses::Stop() {
  for (ServerProcess& server : servers_) server.process.Signal(SIGTERM);
  const Deadline deadline = Deadline::AfterMillis(kStopMs);
  const auto any = [&] {
    return std::any_of(servers_.begin(), servers_.end(),
                       [](ServerProcess& s) { return s.process.running(); });
  };
  while (any() && !deadline.expired()) {
    SleepUntil(Deadline::AfterMillis(kPollMs));
  }
  // What is left ends with its object.
  for (ServerProcess& server : servers_) server.process.Signal(SIGKILL);
}

}  // namespace millrace::examples
