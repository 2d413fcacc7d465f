#include "examples/demo/launcher.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "examples/demo/cluster_processes.h"
#include "examples/demo/display.h"
#include "examples/demo/fashion_mnist.h"
#include "examples/demo/network.h"
#include "millrace/base/clock.h"
#include "millrace/base/file.h"
#include "millrace/checkpoint/checkpoint_state.h"
#include "millrace/train/replica_device_setter.h"

namespace millrace::demo {
namespace {

constexpr int kNotTrained = 1;
constexpr int kWorkersLost = 3;
constexpr int kInterrupted = 130;
constexpr int kPollMs = 50;
constexpr int64_t kClientStopMs = 5'000;
constexpr int kMaxRestarts = 20;

volatile std::sig_atomic_t interrupted = 0;

void OnSignal(int) {
  // The second one does not wait for anybody; children die with this process.
  if (interrupted) _exit(kInterrupted);
  interrupted = 1;
}

struct WorkerClient {
  Process process;
  WorkerView view;
  bool lost = false;
  std::string why;
};

class Launcher {
 public:
  explicit Launcher(const DemoOptions& options)
      : options_(options),
        display_(options, isatty(STDOUT_FILENO) == 1),
        cluster_(options) {}

  int Run() {
    const Status status = Train();
    StopClients();
    if (!status.ok()) {
      display_.Print(absl::StrCat("demo: ", status.message()));
    }
    if (started_nanos_ > 0) ShowResult();
    cluster_.Stop();
    if (interrupted) return kInterrupted;
    if (!status.ok()) return kNotTrained;
    return AnyLost() ? kWorkersLost : 0;
  }

 private:
  Status Train() {
    MR_RETURN_IF_ERROR(LoadTestSet(options_.data).status());
    MR_RETURN_IF_ERROR(PrepareFolder());
    display_.Print(absl::StrFormat(
        "Fashion-MNIST, 784-300-100-10, %s, batch %d, %d epochs; %d ps and %d "
        "workers, asynchronous",
        options_.optimizer, options_.batch, options_.epochs, options_.ps,
        options_.workers));
    display_.Print("Checkpoints and events go to " + options_.dir);
    MR_RETURN_IF_ERROR(ShowVariables());
    MR_RETURN_IF_ERROR(cluster_.Start());
    for (int i = 0; i < options_.workers; ++i) {
      MR_RETURN_IF_ERROR(StartClient(i));
    }
    while (!done_ && !interrupted) {
      AwaitLines();
      ReadClients();
      if (done_) break;
      MR_RETURN_IF_ERROR(CheckServers());
      MR_RETURN_IF_ERROR(CheckClients());
      display_.Show(Views());
    }
    display_.Clear();
    if (interrupted) {
      display_.Print("Stopping; `--resume` goes on from the newest checkpoint");
    }
    return OkStatus();
  }

  // A new training begins in a folder without traces of an older one.
  Status PrepareFolder() {
    FileSystem* const files = PosixFiles();
    MR_RETURN_IF_ERROR(files->CreateDirRecursively(options_.dir));
    MR_ASSIGN(const std::vector<std::string> names,
              files->GetChildren(options_.dir));
    for (const std::string& name : names) {
      const std::string path = JoinPath(options_.dir, name);
      const bool is_ours = absl::StartsWith(name, kCheckpointName) ||
                           absl::StartsWith(name, "events.out.tfevents.") ||
                           name == kCheckpointStateFilename;
      if (files->IsDirectory(path).ok()) {
        // Parts of a save that was cut short, and logs.
        if (is_ours || name == "logs") {
          MR_RETURN_IF_ERROR(files->DeleteDirRecursively(path));
        }
      } else if (is_ours && !options_.resume) {
        MR_RETURN_IF_ERROR(files->Delete(path));
      }
    }
    return OkStatus();
  }

  // The launcher builds the graph of a replica, too, just to look at it.
  Status ShowVariables() {
    const Scope root = Scope::NewRoot();
    MR_RETURN_IF_ERROR(BuildNetwork(root, options_, 0).status());
    std::map<std::string, std::pair<int64_t, std::vector<std::string>>> places;
    for (const ops::Variable& v : ops::GlobalVariables(root)) {
      auto& [bytes, names] = places[v.op().device()];
      bytes += train::StateBytes(*v.op().node());
      names.push_back(v.op_name());
    }
    display_.Print("Variables:");
    for (const auto& [device, place] : places) {
      std::string line =
          absl::StrFormat("  %s  %8s ", device, BytesText(place.first));
      for (const std::string& name : place.second) {
        absl::StrAppend(&line, " ", name);
      }
      display_.Print(line);
    }
    return OkStatus();
  }

  Status StartClient(int index) {
    char self[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
    if (n <= 0) return ErrnoStatus("/proc/self/exe", errno);
    std::vector<std::string> args = {
        std::string(self, static_cast<size_t>(n)),
        "--client_index",
        absl::StrCat(index),
        "--client_target",
        absl::StrCat("grpc://", cluster_.worker(index).address()),
        "--ps",
        absl::StrCat(options_.ps),
        "--workers",
        absl::StrCat(options_.workers),
        "--epochs",
        absl::StrCat(options_.epochs),
        "--batch",
        absl::StrCat(options_.batch),
        "--seed",
        absl::StrCat(options_.seed),
        "--optimizer",
        options_.optimizer,
        "--learning_rate",
        absl::StrCat(options_.learning_rate),
        "--checkpoint_seconds",
        absl::StrCat(options_.checkpoint_seconds),
        "--dir",
        options_.dir,
        "--data",
        options_.data};
    if (index == chief_) args.push_back("--client_chief");
    clients_.emplace_back();
    MR_ASSIGN(clients_.back().process,
              Process::Start(args,
                             JoinPath(cluster_.log_dir(),
                                      absl::StrCat("client", index, ".log")),
                             /*talk=*/true));
    return OkStatus();
  }

  void AwaitLines() {
    std::vector<pollfd> fds;
    for (const WorkerClient& client : clients_) {
      if (!client.lost) {
        fds.push_back({client.process.output(), POLLIN, 0});
      }
    }
    poll(fds.data(), fds.size(), kPollMs);
  }

  void ReadClients() {
    for (size_t i = 0; i < clients_.size(); ++i) {
      for (const std::string& line : clients_[i].process.Lines()) {
        OnMessage(static_cast<int>(i), ParseMessage(line));
      }
    }
  }

  void OnMessage(int index, const Message& message) {
    WorkerClient& client = clients_[static_cast<size_t>(index)];
    const auto number = [&](size_t i) {
      double value = 0;
      if (i < message.words.size()) {
        (void)absl::SimpleAtod(message.words[i], &value);
      }
      return value;
    };
    const int64_t step = static_cast<int64_t>(number(0));
    const std::string from =
        message.words.size() > 1
            ? absl::StrCat(", from ", Basename(message.words[1]))
            : "";
    if (message.kind == "started") {
      client.view.state = "training";
      client.view.step = step;
      if (index != chief_) return;
      started_nanos_ = NowNanos();
      first_step_ = step;
      display_.Print(absl::StrCat("Training from step ", step, from));
    } else if (message.kind == "step") {
      client.view.step = step;
      client.view.loss = number(1);
      client.view.rate = number(2);
      last_step_ = std::max(last_step_, step);
    } else if (message.kind == "accuracy") {
      accuracy_ = number(1);
      display_.Print(
          absl::StrFormat("epoch %2d  test accuracy %.2f %%  after %s", step,
                          100 * accuracy_, TimeText(SecondsSinceStart())));
    } else if (message.kind == "recovered") {
      ++recoveries_;
      display_.Print(
          absl::StrCat("worker ", index, " goes on at step ", step, from));
    } else if (message.kind == "done") {
      last_step_ = std::max(last_step_, step);
      if (index == chief_ && !interrupted) {
        done_ = true;
        ended_nanos_ = NowNanos();
      }
    } else if (message.kind == "error") {
      client.why = message.text;
    }
  }

  Status CheckServers() {
    for (ServerProcess& server : cluster_.servers()) {
      if (server.process.running()) continue;
      if (server.task.job == "ps") {
        display_.Print(absl::StrCat(
            server.name(), " was lost (", server.process.HowItEnded(),
            "); it is started again at ", server.address()));
        if (server.restarts >= kMaxRestarts) {
          return Internal(server.name(), " was lost ", server.restarts + 1,
                          " times; see ", cluster_.log_dir());
        }
        MR_RETURN_IF_ERROR(cluster_.Restart(server));
      } else if (!clients_[static_cast<size_t>(server.task.index)].lost) {
        MR_RETURN_IF_ERROR(LoseWorker(
            server.task.index, absl::StrCat("its server ended with ",
                                            server.process.HowItEnded())));
      }
    }
    return OkStatus();
  }

  Status CheckClients() {
    for (size_t i = 0; i < clients_.size(); ++i) {
      WorkerClient& client = clients_[i];
      if (client.lost || client.process.running()) continue;
      ReadClients();  // its last words
      if (done_) return OkStatus();
      MR_RETURN_IF_ERROR(LoseWorker(
          static_cast<int>(i), client.why.empty()
                                   ? absl::StrCat("its client ended with ",
                                                  client.process.HowItEnded())
                                   : client.why));
    }
    return OkStatus();
  }

  // The others go on; the next of them takes over what the chief does.
  Status LoseWorker(int index, const std::string& why) {
    WorkerClient& client = clients_[static_cast<size_t>(index)];
    client.lost = true;
    client.why = why;
    client.view.state = "lost: " + why;
    client.process.Signal(SIGKILL);
    display_.Print(absl::StrCat("worker ", index, " was lost: ", why));
    if (index != chief_) return OkStatus();
    for (size_t i = 0; i < clients_.size(); ++i) {
      if (clients_[i].lost) continue;
      chief_ = static_cast<int>(i);
      clients_[i].process.Tell("chief");
      display_.Print(
          absl::StrCat("worker ", i, " takes over checkpoints and events"));
      if (started_nanos_ == 0) started_nanos_ = NowNanos();
      return OkStatus();
    }
    return Internal("all workers were lost; see ", cluster_.log_dir());
  }

  void StopClients() {
    for (WorkerClient& client : clients_) client.process.Tell("stop");
    const Deadline deadline = Deadline::AfterMillis(kClientStopMs);
    const auto any = [&] {
      return std::any_of(clients_.begin(), clients_.end(),
                         [](WorkerClient& c) { return c.process.running(); });
    };
    while (any() && !deadline.expired()) {
      AwaitLines();
      ReadClients();
    }
  }

  std::vector<WorkerView> Views() const {
    std::vector<WorkerView> views;
    for (const WorkerClient& client : clients_) views.push_back(client.view);
    return views;
  }

  bool AnyLost() const {
    return std::any_of(clients_.begin(), clients_.end(),
                       [](const WorkerClient& c) { return c.lost; });
  }

  double SecondsSinceStart() const {
    const int64_t end = ended_nanos_ > 0 ? ended_nanos_ : NowNanos();
    return static_cast<double>(end - started_nanos_) / 1e9;
  }

  void ShowResult() {
    std::vector<std::vector<std::string>> rows = {
        {"task", "address", "state", "steps", "received", "sent", "memory"}};
    for (ServerProcess& server : cluster_.servers()) {
      const bool running = server.process.running();
      const ServerFigures figures =
          running ? cluster_.FiguresOf(server) : ServerFigures();
      std::string state = running ? "up" : server.process.HowItEnded();
      if (server.task.job == "worker" &&
          static_cast<size_t>(server.task.index) < clients_.size() &&
          clients_[static_cast<size_t>(server.task.index)].lost) {
        state = running ? "client lost" : absl::StrCat("lost, ", state);
      }
      if (server.restarts > 0) {
        absl::StrAppend(&state, ", restarted ", server.restarts, " x");
      }
      rows.push_back(
          {server.name(), server.address(), state,
           figures.known ? CountText(figures.steps) : "-",
           figures.known ? BytesText(figures.bytes_received) : "-",
           figures.known ? BytesText(figures.bytes_sent) : "-",
           running ? BytesText(MemoryOf(server.process.pid()).peak) : "-"});
    }
    const double seconds = SecondsSinceStart();
    const int64_t steps = std::max<int64_t>(0, last_step_ - first_step_);
    display_.Print("");
    std::string table = TableText(rows);
    if (!table.empty()) table.pop_back();
    display_.Print(table);
    display_.Print("");
    display_.Print(absl::StrFormat(
        "%s: test accuracy %.2f %%, step %d, %s examples/s, %s",
        done_ ? "Trained" : "Not trained to the end", 100 * accuracy_,
        last_step_,
        CountText(static_cast<int64_t>(
            seconds > 0 ? static_cast<double>(steps * options_.batch) / seconds
                        : 0)),
        TimeText(seconds)));
    if (recoveries_ > 0) {
      display_.Print(
          absl::StrCat("Sessions made again after lost tasks: ", recoveries_));
    }
    auto newest = LatestCheckpoint(PosixFiles(), options_.dir);
    if (newest.ok() && !newest->empty()) {
      display_.Print("Newest checkpoint: " + *newest);
    }
    display_.Print("To look at it: tensorboard --logdir " + options_.dir);
  }

  const DemoOptions options_;
  Display display_;
  ClusterProcesses cluster_;
  std::vector<WorkerClient> clients_;
  int chief_ = 0;
  bool done_ = false;
  int64_t started_nanos_ = 0;  // 0: not yet
  int64_t ended_nanos_ = 0;
  int64_t first_step_ = 0;
  int64_t last_step_ = 0;
  int recoveries_ = 0;
  double accuracy_ = 0;
};

}  // namespace

int RunLauncher(const DemoOptions& options) {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return Launcher(options).Run();
}

}  // namespace millrace::demo
