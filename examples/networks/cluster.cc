#include "examples/networks/cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "examples/support/temporary_folder.h"
#include "millrace/millrace.h"

namespace millrace::networks {
namespace {

constexpr int64_t kPollMs = 20;
// One that comes late may still read its data.
constexpr int64_t kEndMs = 120'000;

std::string ClientLog(const std::string& folder, int client) {
  return JoinPath(folder, absl::StrCat("client", client, ".log"));
}

}  // namespace

StatusOr<std::unique_ptr<Cluster>> Cluster::Start(const std::string& server,
                                                  int workers) {
  std::unique_ptr<Cluster> cluster(new Cluster());
  MR_RETURN_IF_ERROR(cluster->MakeLogFolder());
  cluster->servers_ = std::make_unique<examples::ServerProcesses>(
      examples::ServerProcessesOptions{.ps = kPs,
                                       .workers = workers,
                                       .server = server,
                                       .log_dir = cluster->log_dir_});
  MR_RETURN_IF_ERROR(cluster->servers_->Start());
  for (int i = 0; i < workers; ++i) {
    cluster->targets_.push_back("grpc://" +
                                cluster->servers_->worker(i).address());
  }
  return cluster;
}

std::unique_ptr<Cluster> Cluster::Running(
    std::vector<std::string> worker_targets) {
  std::unique_ptr<Cluster> cluster(new Cluster());
  cluster->targets_ = std::move(worker_targets);
  return cluster;
}

Cluster::~Cluster() {
  clients_.clear();
  if (servers_) servers_->Stop();
}

Status Cluster::MakeLogFolder() {
  if (!log_dir_.empty()) return OkStatus();
  MR_ASSIGN_OR_RETURN(log_dir_,
                      examples::MakeTemporaryFolder("millrace-networks"));
  return OkStatus();
}

Status Cluster::StartClients(const std::vector<std::string>& arguments,
                             int count) {
  if (count > workers()) {
    return InvalidArgument("the cluster has ", workers(),
                           " workers, cannot use ", count);
  }
  MR_RETURN_IF_ERROR(MakeLogFolder());
  MR_ASSIGN_OR_RETURN(const std::string self, examples::OwnPath());
  for (int i = 1; i < count; ++i) {
    std::vector<std::string> command = {self};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--client", absl::StrCat(i)});
    if (servers_) {
      command.insert(command.end(), targets_.begin(), targets_.end());
    }
    MR_ASSIGN_OR_RETURN(
        examples::Process client,
        examples::Process::Start(command, ClientLog(log_dir_, i),
                                 /*talk=*/false));
    clients_.push_back(std::move(client));
  }
  return OkStatus();
}

Status Cluster::AwaitClients() {
  const Deadline deadline = Deadline::AfterMillis(kEndMs);
  for (size_t i = 0; i < clients_.size(); ++i) {
    const int client = static_cast<int>(i) + 1;
    const WaitScope wait(absl::StrCat("client ", client, " to end"));
    while (clients_[i].running()) {
      if (deadline.expired()) {
        return DeadlineExceeded("client ", client, ", process ",
                                clients_[i].pid(), ", has not ended ",
                                kEndMs / 1000, " s after the last step; see ",
                                ClientLog(log_dir_, client));
      }
      SleepUntil(Deadline::AfterMillis(kPollMs));
    }
    if (clients_[i].ended_well()) continue;
    return Internal("client ", client, " ended with ", clients_[i].HowItEnded(),
                    "; see ", ClientLog(log_dir_, client));
  }
  return OkStatus();
}

StatusOr<int64_t> Cluster::BytesBetweenTasks() const {
  int64_t bytes = 0;
  for (const examples::ServerProcess& server : servers_->servers()) {
    MR_ASSIGN_OR_RETURN(const examples::ServerFigures figures,
                        examples::FiguresOf(server.address()));
    bytes += figures.bytes_sent;
  }
  return bytes;
}

Status Cluster::DeleteLogs() {
  return PosixFiles()->DeleteDirRecursively(log_dir_);
}

}  // namespace millrace::networks
