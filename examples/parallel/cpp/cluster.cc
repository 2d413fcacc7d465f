#include "examples/parallel/cpp/cluster.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/support/temporary_folder.h"
#include "millrace/millrace.h"

namespace millrace::parallel {
namespace {

// Of all that the programs keep on servers.
constexpr char kContainer[] = "parallel";
constexpr int64_t kRunTimeoutMs = 120'000;
constexpr int64_t kStartMs = 20'000;
constexpr int64_t kStartPollMs = 5;

SessionOptions MasterAt(const examples::ServerProcess& server) {
  SessionOptions options;
  options.target = "grpc://" + server.address();
  options.config.operation_timeout_ms = kRunTimeoutMs;
  return options;
}

}  // namespace

StatusOr<std::unique_ptr<Cluster>> Cluster::Start(const Options& options,
                                                  const Tasks& tasks) {
  std::unique_ptr<Cluster> cluster(new Cluster(tasks));
  MR_ASSIGN_OR_RETURN(cluster->log_dir_,
                      examples::MakeTemporaryFolder("millrace-parallel"));
  cluster->servers_ = std::make_unique<examples::ServerProcesses>(
      examples::ServerProcessesOptions{.ps = tasks.ps,
                                       .workers = tasks.workers,
                                       .server = options.server,
                                       .log_dir = cluster->log_dir_,
                                       .cores = tasks.cores});
  MR_RETURN_IF_ERROR(cluster->servers_->Start());
  // Servers that listen have not learned their cluster yet.
  const WaitScope wait("all servers to learn their cluster");
  const Deadline deadline = Deadline::AfterMillis(kStartMs);
  for (;;) {
    const Status status = cluster->Reset();
    if (status.ok()) return cluster;
    if (status.code() != StatusCode::kAborted || deadline.expired()) {
      return status;
    }
    SleepUntil(Deadline::AfterMillis(kStartPollMs));
  }
}

Cluster::~Cluster() {
  if (!servers_) return;
  bool all_run = true;
  for (examples::ServerProcess& server : servers_->servers()) {
    all_run = server.process.running() && all_run;
  }
  servers_->Stop();
  if (all_run) PosixFiles()->DeleteDirRecursively(log_dir_).IgnoreError();
}

std::string Cluster::Worker(int worker) {
  return absl::StrCat("/job:worker/task:", worker);
}

SessionOptions Cluster::Master(int worker) const {
  return MasterAt(servers_->worker(worker));
}

SessionOptions Cluster::MasterOf(const std::string& device) const {
  const StatusOr<DeviceName> name = DeviceName::Parse(device);
  MR_CHECK(name.ok() && name->job && name->task, device);
  return *name->job == "worker"
             ? Master(*name->task)
             : MasterAt(servers_->servers()[static_cast<size_t>(*name->task)]);
}

Scope Cluster::NewGraph() const {
  return Scope::NewRoot().WithContainer(kContainer);
}

Scope Cluster::ReplicaOf(const Scope& graph, int worker) const {
  return graph.WithDevice(train::ReplicaDeviceSetter(
      {.ps_tasks = tasks_.ps, .worker_device = Worker(worker)}));
}

Status Cluster::Reset() { return Session::Reset(Master(), {kContainer}); }

StatusOr<int64_t> Cluster::BytesBetweenTasks() const {
  int64_t bytes = 0;
  for (const examples::ServerProcess& server : servers_->servers()) {
    MR_ASSIGN_OR_RETURN(const examples::ServerFigures figures,
                        examples::FiguresOf(server.address()));
    bytes += figures.bytes_sent;
  }
  return bytes;
}

Status OnThreads(int count, const std::function<Status(int)>& work) {
  std::vector<Status> ended(static_cast<size_t>(count));
  std::vector<Thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(absl::StrCat("client ", i), [&work, &ended, i] {
      ended[static_cast<size_t>(i)] = work(i);
    });
  }
  for (Thread& thread : threads) thread.Join();
  for (const Status& status : ended) MR_RETURN_IF_ERROR(status);
  return OkStatus();
}

}  // namespace millrace::parallel
