#include "tools/millrace/server_command.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "millrace/base/memory/heap_policy.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/base/threads/thread.h"
#include "millrace/client/gradients/differentiate_function.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"
#include "millrace/rpc/bulk/bulk_transport.h"
#include "millrace/rpc/grpc/grpc_transport.h"
#include "tools/millrace/exit_codes.h"
#include "tools/millrace/server_options.h"

namespace millrace {
namespace {

constexpr int64_t kClusterFilePollMs = 50;

// The usual limit of 1,024 descriptors is meant for programs that use select().
// Clients could use it up, and would keep others out.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// SIGTERM, SIGINT and, except under nohup, SIGHUP stop the server; a second one
// ends the process at once.
class StopSignals {
 public:
  // Requires: no thread has been started yet, so that all of them have the
  // signals blocked.
  StopSignals() {
    // The reader of stderr may exit; no other pipe is written to.
    std::signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    struct sigaction hangup {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 &&
        hangup.sa_handler != SIG_IGN) {
      sigaddset(&set_, SIGHUP);
    }
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signals_ = signalfd(-1, &set_, SFD_CLOEXEC);
    ended_ = eventfd(0, EFD_CLOEXEC);
  }
  ~StopSignals() {
    End();
    close(signals_);
    close(ended_);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // `parent` is a socket whose other end is closed when the server is no longer
  // wanted; -1 if there is none. `server` must live until End.
  void Watch(Server* server, int parent) {
    thread_ = Thread("signals", [this, server, parent] {
      pollfd watched[] = {
          {signals_, POLLIN, 0}, {ended_, POLLIN, 0}, {parent, POLLIN, 0}};
      while (poll(watched, 3, -1) < 0 && errno == EINTR) {
      }
      signalfd_siginfo signal;
      if (watched[1].revents != 0) return;
      if (watched[0].revents == 0) {
        MR_LOG(Info) << "stopping: who started this server is gone";
      } else if (read(signals_, &signal, sizeof(signal)) == sizeof(signal)) {
        MR_LOG(Info) << "stopping after signal " << signal.ssi_signo;
      } else {
        return;
      }
      pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
      server->Stop();
    });
  }

  // Signals stop nothing any more. Wakes the thread by a descriptor and not by
  // a signal, which would be one too many if it has already received its first.
  void End() {
    if (!thread_.joinable()) return;
    eventfd_write(ended_, 1);
    thread_.Join();
  }

 private:
  sigset_t set_;
  int signals_ = -1;
  int ended_ = -1;
  Thread thread_;
};

// Writes the file atomically, since other processes wait for it.
Status WritePortFile(FileSystem* files, const std::string& path, int port) {
  const std::string part = absl::StrCat(path, ".part");
  MR_RETURN_IF_ERROR(WriteStringToFile(files, part, absl::StrCat(port, "\n")));
  return files->Rename(part, path);
}

// Tells the process that started the server its target, or why there is none.
void TellParent(int parent, std::string line) {
  if (parent < 0) return;
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  line.push_back('\n');
  send(parent, line.data(), line.size(), MSG_NOSIGNAL);
}

// Waits for the file and sets the server's cluster; ends with the server.
void AwaitCluster(FileSystem* files, const std::string& path, Server* server,
                  const std::atomic<bool>* ended) {
  Status logged;
  while (!ended->load()) {
    const StatusOr<std::string> text = ReadFileToString(files, path);
    Status status = text.status();
    if (text.ok()) {
      StatusOr<ClusterSpec> cluster = ClusterSpec::ParseFile(*text);
      status = cluster.status();
      if (cluster.ok()) status = server->SetCluster(*std::move(cluster));
      if (status.ok()) return;
    }
    // The writer may not be done: retried, and logged once. A file that does
    // not exist yet is what this waits for; one without this task is logged.
    const bool absent = text.status().code() == StatusCode::kNotFound;
    if (!absent && status != logged) {
      MR_LOG(Warning) << "the cluster file " << path
                      << " cannot be used: " << status;
      logged = status;
    }
    SleepUntil(Deadline::AfterMillis(kClusterFilePollMs));
  }
}

}  // namespace

int RunServer(const ServerFlags& flags, const ConfigFile& config) {
  KeepMessageMemory();
  StopSignals signals;
  RaiseDescriptorLimit();
  FileSystem* const files = DefaultFiles();
  struct stat parent;
  if (flags.parent_fd != -1 &&
      (fstat(flags.parent_fd, &parent) != 0 || !S_ISSOCK(parent.st_mode))) {
    return Fail(
        "server",
        InvalidArgument("--parent_fd: ", flags.parent_fd, " is no open socket"),
        kUsageError);
  }
  const auto fail = [&](const Status& status, int code) {
    TellParent(flags.parent_fd, std::string(status.message()));
    return Fail("server", status, code);
  };
  const char* tf_config = std::getenv("TF_CONFIG");
  StatusOr<ServerSetup> setup = MakeServerSetup(
      flags, config, tf_config == nullptr ? "" : tf_config, files);
  if (!setup.ok()) return fail(setup.status(), kUsageError);
  SetLogLevel(setup->log_level);
  Lanes::SetProcessOptions({.inter_op_threads = flags.inter_op_threads,
                            .intra_op_threads = flags.intra_op_threads});
  if (setup->memory_limit_bytes > 0) {
    MemoryBudget::Process().set_limit(setup->memory_limit_bytes);
  }
  StatusOr<std::unique_ptr<const OpRegistry>> ops = OpRegistry::Build(AllOps());
  if (!ops.ok()) return fail(ops.status(), kStartError);
  StatusOr<KernelTable> kernels = KernelTable::Build(AllKernels());
  if (!kernels.ok()) return fail(kernels.status(), kStartError);
  ServerOptions& options = setup->options;
  options.transport = MakeGrpcTransport();
  if (!flags.no_bulk) {
    options.transport = MakeBulkTransport(std::move(options.transport));
  }
  options.ops = ops->get();
  options.kernels = &*kernels;
  options.differentiate = DifferentiateFunction;
  StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
  if (!server.ok()) return fail(server.status(), kStartError);

  if (!flags.port_file.empty()) {
    const Status written =
        WritePortFile(files, flags.port_file, (*server)->port());
    if (!written.ok()) {
      return fail(Prefix("--port_file: ", written), kStartError);
    }
  }
  std::printf("%s\n", (*server)->target().c_str());
  std::fflush(stdout);
  TellParent(flags.parent_fd, (*server)->target());
  signals.Watch(server->get(), flags.parent_fd);
  std::atomic<bool> ended{false};
  Thread cluster_file;
  if (options.cluster_later) {
    cluster_file = Thread("cluster file", [&] {
      AwaitCluster(files, setup->cluster_file, server->get(), &ended);
    });
  }
  (*server)->Join();
  signals.End();
  ended.store(true);
  if (cluster_file.joinable()) cluster_file.Join();
  return 0;
}

}  // namespace millrace
