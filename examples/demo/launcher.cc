#include "examples/demo/launcher.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "examples/demo/display.h"
#include "examples/demo/message.h"
#include "examples/demo/network.h"
#include "examples/demo/training_folder.h"
#include "examples/demo/training_result.h"
#include "examples/support/fashion_mnist.h"
#include "examples/support/server_processes.h"
#include "millrace/millrace.h"

namespace millrace::demo {
namespace {

constexpr int kNotTrained = 1;
constexpr int kWorkersLost = 3;
constexpr int kInterrupted = 130;
constexpr int kPollOutputsMs = 50;
constexpr int64_t kClientStopMs = 5'000;
constexpr int kMaxRestarts = 20;
// How long the others may take for their last step.
constexpr int64_t kLastStepNanos = 30'000'000'000;
constexpr int64_t kSilentNanos = 2'000'000'000;
constexpr char kTraining[] = "training";
constexpr char kTrained[] = "has trained";

volatile std::sig_atomic_t interrupted = 0;

void OnSignal(int) {
  // The second one does not wait for anybody; children die with this process.
  if (interrupted) _exit(kInterrupted);
  interrupted = 1;
}

struct WorkerClient {
  examples::Process process;
  WorkerView view;
  bool lost = false;
  std::string why;
  int64_t heard_nanos = 0;  // when its last message came
};

std::string Many(int count, const char* what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

class Launcher {
 public:
  explicit Launcher(const DemoOptions& options)
      : options_(options),
        display_(options),
        cluster_({.ps = options.ps,
                  .workers = options.workers,
                  .server = options.server,
                  .log_dir = JoinPath(options.dir, "logs")}) {}

  int Run() {
    const Status status = Train();
    StopClients();
    if (!status.ok()) {
      display_.Print(absl::StrCat("demo: ", status.message()));
    }
    if (started_nanos_ > 0) ShowResult(Result(), options_, cluster_, display_);
    cluster_.Stop();
    if (interrupted) return kInterrupted;
    if (!status.ok()) return kNotTrained;
    return AnyLost() ? kWorkersLost : 0;
  }

 private:
  Status Train() {
    MR_RETURN_IF_ERROR(examples::LoadTestSet(options_.data).status());
    MR_RETURN_IF_ERROR(folder_.Open(options_));
    display_.Print(absl::StrFormat(
        "Fashion-MNIST, 784-300-100-10, %s, batch %d, %s, seed %d",
        options_.optimizer, options_.batch, Many(options_.epochs, "epoch"),
        options_.seed));
    display_.Print(absl::StrFormat(
        "%d ps and %s, asynchronous; checkpoints and events in %s", options_.ps,
        Many(options_.workers, "worker"), options_.dir));
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
      MR_RETURN_IF_ERROR(CheckEnd());
      display_.Show(Views());
    }
    display_.Clear();
    if (interrupted) {
      display_.Print("Stopping; `--resume` goes on from the newest checkpoint");
    }
    return OkStatus();
  }

  // The launcher builds the graph of a replica, too, just to look at it.
  Status ShowVariables() {
    const Scope root = Scope::NewRoot();
    MR_RETURN_IF_ERROR(BuildNetwork(root, options_, 0).status());
    std::map<std::string, std::pair<int64_t, std::vector<std::string>>> places;
    std::vector<std::string> all;
    for (const ops::Variable& v : ops::GlobalVariables(root)) {
      auto& [bytes, names] = places[v.op().device()];
      bytes += train::StateBytes(*v.op().node());
      names.push_back(v.op_name());
      all.push_back(v.op_name());
    }
    if (options_.resume) {
      MR_ASSIGN_OR_RETURN(const std::string newest, folder_.Newest(all));
      if (newest.empty()) {
        display_.Print("There is no checkpoint to resume: a new training");
      }
    }
    display_.Print("Variables:");
    for (const auto& [device, place] : places) {
      display_.PrintWords(
          absl::StrFormat("  %s  %8s ", device, BytesText(place.first)),
          place.second);
    }
    return OkStatus();
  }

  Status StartClient(int index) {
    MR_ASSIGN_OR_RETURN(const std::string self, examples::OwnPath());
    std::vector<std::string> args = {
        self,
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
        options_.data,
        "--values",
        options_.values};
    if (index == chief_) args.push_back("--client_chief");
    clients_.emplace_back();
    MR_ASSIGN_OR_RETURN(
        clients_.back().process,
        examples::Process::Start(
            args,
            JoinPath(cluster_.log_dir(), absl::StrCat("client", index, ".log")),
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
    poll(fds.data(), fds.size(), kPollOutputsMs);
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
    client.heard_nanos = NowNanos();
    if (message.kind == "started") {
      client.view.state = "ready";
      client.view.step = step;
      if (index != chief_) return;
      started_nanos_ = NowNanos();
      result_.first_step = step;
      display_.Print(absl::StrCat("Training from step ", step, from));
    } else if (message.kind == "step") {
      client.view.state = kTraining;
      client.view.step = step;
      client.view.loss = number(1);
      client.view.rate = number(2);
      result_.last_step = std::max(result_.last_step, step);
    } else if (message.kind == "accuracy") {
      result_.accuracy = number(1);
      display_.Print(absl::StrFormat(
          "epoch %2d  test accuracy %.2f %%  after %s", step,
          100 * result_.accuracy, TimeText(SecondsSinceStart())));
    } else if (message.kind == "recovered") {
      ++result_.recoveries;
      display_.Print(
          absl::StrCat("worker ", index, " goes on at step ", step, from));
      TrainAgain(index);
    } else if (message.kind == "trained") {
      client.view.state = kTrained;
      if (trained_nanos_ == 0) trained_nanos_ = NowNanos();
    } else if (message.kind == "done") {
      result_.last_step = std::max(result_.last_step, step);
      if (index == chief_ && !interrupted) {
        done_ = true;
        ended_nanos_ = NowNanos();
      }
    } else if (message.kind == "error") {
      client.why = message.text;
    }
  }

  // A client has gone back to a checkpoint: those that wait train on, too.
  void TrainAgain(int index) {
    trained_nanos_ = 0;
    told_finish_ = false;
    for (size_t i = 0; i < clients_.size(); ++i) {
      WorkerClient& client = clients_[i];
      if (client.view.state != kTrained) continue;
      client.view.state = kTraining;
      if (static_cast<int>(i) != index) client.process.Tell("train");
    }
  }

  // Once all have trained, the chief tests and saves.
  Status CheckEnd() {
    bool waiting = false;
    for (size_t i = 0; i < clients_.size(); ++i) {
      const WorkerClient& client = clients_[i];
      if (client.lost || client.view.state == kTrained) continue;
      waiting = true;
      // As one that was stopped.
      if (trained_nanos_ > 0 &&
          NowNanos() - std::max(trained_nanos_, client.heard_nanos) >
              kLastStepNanos) {
        MR_RETURN_IF_ERROR(LoseWorker(static_cast<int>(i),
                                      "its client does not come to an end"));
      }
    }
    if (waiting || told_finish_ || trained_nanos_ == 0) return OkStatus();
    told_finish_ = true;
    clients_[static_cast<size_t>(chief_)].process.Tell("finish");
    return OkStatus();
  }

  Status CheckServers() {
    for (examples::ServerProcess& server : cluster_.servers()) {
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
    told_finish_ = told_finish_ && index != chief_;
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
    for (const WorkerClient& client : clients_) {
      WorkerView& view = views.emplace_back(client.view);
      if (view.state == kTraining &&
          NowNanos() - client.heard_nanos > kSilentNanos) {
        view.state =
            absl::StrCat("step ", view.step, ", waits for the cluster");
      }
    }
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

  TrainingResult Result() const {
    TrainingResult result = result_;
    result.trained = done_;
    result.seconds = SecondsSinceStart();
    for (const WorkerClient& client : clients_) {
      result.lost.push_back(client.lost);
    }
    return result;
  }

  const DemoOptions options_;
  Display display_;
  TrainingFolder folder_;
  examples::ServerProcesses cluster_;
  std::vector<WorkerClient> clients_;
  int chief_ = 0;
  bool done_ = false;
  int64_t started_nanos_ = 0;  // 0: not yet
  int64_t ended_nanos_ = 0;
  int64_t trained_nanos_ = 0;  // since when somebody has trained; 0: nobody
  bool told_finish_ = false;
  TrainingResult result_;  // so far
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
