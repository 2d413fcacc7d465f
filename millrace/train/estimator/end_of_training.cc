#include "millrace/train/estimator/end_of_training.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "millrace/base/json/json.h"
#include "millrace/base/json/json_text.h"
#include "millrace/base/log.h"
#include "millrace/client/ops.h"
#include "millrace/client/variables/variables.h"
#include "millrace/train/estimator/pause.h"

namespace millrace::train {
namespace {

constexpr char kMarkerName[] = "training_over";
constexpr double kPollSeconds = 1;
// Tasks that were killed and are started again need a while until they can be
// reached.
constexpr double kGraceSeconds = 120;
constexpr double kReportSeconds = 60;
constexpr int64_t kCallMs = 10'000;
constexpr double kSecondsPerMicro = 1e-6;
constexpr double kGraceNanos = kGraceSeconds * 1e9;

double WallSecondsNow() {
  return static_cast<double>(WallMicros()) * kSecondsPerMicro;
}

std::string TaskDevice(const TaskName& task) {
  return absl::StrCat("/job:", task.job, "/task:", task.index);
}

std::vector<TaskName> TrainersOf(const ClusterSpec& cluster) {
  std::vector<TaskName> trainers;
  for (const TaskName& task : cluster.Tasks()) {
    if (task.job == kChiefJob || task.job == kMasterJob ||
        task.job == kWorkerJob) {
      trainers.push_back(task);
    }
  }
  return trainers;
}

// Options of short runs on one task, whoever else is there.
SessionOptions SessionAt(const RunConfig& config, const TaskName& task) {
  SessionOptions options = config.session;
  options.target = absl::StrCat(
      "grpc://", config.place.cluster.Address(task).value_or("nowhere"));
  options.connect_timeout_ms = 0;
  options.config.device_filters = {TaskDevice(task)};
  options.config.operation_timeout_ms = kCallMs;
  return options;
}

bool IsReachable(const RunConfig& config, const TaskName& task) {
  Session session(Scope::NewRoot(), SessionAt(config, task));
  return session.ListDevices().ok();
}

std::string TaskList(const std::vector<TaskName>& tasks) {
  return absl::StrJoin(tasks, ", ", [](std::string* out, const TaskName& task) {
    absl::StrAppend(out, task.job, " ", task.index);
  });
}

// The variables of a parameter server by which tasks say that they have come to
// their end: true if one has. A value of false, which a server keeps from an
// earlier training, says as little as none.
class EndBoard {
 public:
  EndBoard(const RunConfig& config, int ps_index) {
    const TaskName ps = {.job = kPsJob, .index = ps_index};
    const Scope root = Scope::NewRoot().WithDevice(TaskDevice(ps));
    for (const TaskName& task : TrainersOf(config.place.cluster)) {
      const ops::Variable variable(
          root.WithOpName(
              absl::StrCat(kMarkerName, "/", task.job, "_", task.index)),
          Tensor::Scalar(true), {.trainable = false});
      tasks_.push_back(task);
      says_.push_back(variable.initializer());
      said_.push_back(ops::LogicalAnd(root, variable.IsInitialized(root),
                                      variable.InitializedValue(root)));
      takes_back_.push_back(variable.Assign(root, Tensor::Scalar(false)).op());
    }
    session_ = std::make_unique<Session>(root, SessionAt(config, ps));
  }

  Status Say(const TaskName& task) {
    for (size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i] == task) return session_->RunTargets({says_[i]});
    }
    return Internal("task ", task.ToString(), " does not train");
  }

  // Returns the tasks that have come to their end.
  StatusOr<std::set<TaskName>> Said() {
    MR_ASSIGN_OR_RETURN(const std::vector<Tensor> values, session_->Run(said_));
    std::set<TaskName> said;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].scalar<bool>()) said.insert(tasks_[i]);
    }
    return said;
  }

  // Lets the next training begin as if none had said anything.
  Status TakeBack() { return session_->RunTargets(takes_back_); }

 private:
  std::vector<TaskName> tasks_;
  std::vector<Operation> says_;
  std::vector<Output> said_;
  std::vector<ControlInput> takes_back_;
  std::unique_ptr<Session> session_;
};

// Which of the tasks that have not said that they are at their end may still do
// so.
class MissingTasks {
 public:
  explicit MissingTasks(const RunConfig& config) : config_(config) {}

  // Returns whether all of `missing` have been out of reach for long.
  bool AreGone(const std::vector<TaskName>& missing) {
    bool gone = true;
    for (const TaskName& task : missing) {
      const int64_t now = NowNanos();
      const auto [reached, is_new] = reached_.emplace(task, now);
      if (!is_new && IsReachable(config_, task)) reached->second = NowNanos();
      gone = gone && static_cast<double>(now - reached->second) > kGraceNanos;
    }
    return gone;
  }

 private:
  const RunConfig& config_;
  std::map<TaskName, int64_t> reached_;  // when it was there last
};

// The board of a parameter server, as that looks at it again and again.
class WatchedBoard {
 public:
  explicit WatchedBoard(const RunConfig& config) : config_(config) {}

  // Returns what was said when it could be seen last. An error after a while in
  // which it could not be seen at all.
  StatusOr<std::set<TaskName>> Said() {
    if (!board_) board_.emplace(config_, config_.place.task.index);
    StatusOr<std::set<TaskName>> said = board_->Said();
    const int64_t now = NowNanos();
    if (said.ok()) {
      said_ = *std::move(said);
      seen_nanos_ = now;
      return said_;
    }
    board_.reset();
    if (static_cast<double>(now - seen_nanos_) >= kGraceNanos)
      return said.status();
    MR_LOG(Warning) << "the parameter server looks again for the end of the "
                       "training, after "
                    << said.status();
    return said_;
  }

  // So that a server that lives on can serve another training.
  void TakeBack() {
    if (!board_) board_.emplace(config_, config_.place.task.index);
    const Status status = board_->TakeBack();
    if (!status.ok()) {
      MR_LOG(Warning) << "another training on this server may end too soon, "
                         "since the end of this one stays on it: "
                      << status;
    }
  }

 private:
  const RunConfig& config_;
  std::optional<EndBoard> board_;  // none after an error
  std::set<TaskName> said_;
  int64_t seen_nanos_ = NowNanos();
};

}  // namespace

void ReportEnd(const RunConfig& config) {
  std::vector<TaskName> missing;
  for (const TaskName& task : config.place.cluster.Tasks()) {
    if (task.job == kPsJob) missing.push_back(task);
  }
  const Deadline give_up =
      Deadline::AfterMillis(static_cast<int64_t>(kReportSeconds * 1000));
  for (;;) {
    const auto told = [&](const TaskName& ps) {
      const Status status = EndBoard(config, ps.index).Say(config.place.task);
      if (!status.ok()) {
        MR_LOG(Info) << "parameter server " << ps.index
                     << " cannot be told that the training is over: " << status;
      }
      return status.ok();
    };
    missing.erase(std::remove_if(missing.begin(), missing.end(), told),
                  missing.end());
    if (missing.empty()) return;
    if (give_up.expired() ||
        Pause(config, kPollSeconds,
              absl::StrCat("parameter servers that are to know the end: ",
                           TaskList(missing)))) {
      MR_LOG(Warning) << "not told that the training is over: "
                      << TaskList(missing);
      return;
    }
  }
}

Status AwaitEnd(const RunConfig& config) {
  const std::vector<TaskName> trainers = TrainersOf(config.place.cluster);
  WatchedBoard board(config);
  MissingTasks absent(config);
  for (;;) {
    MR_ASSIGN_OR_RETURN(const std::set<TaskName> said, board.Said());
    std::vector<TaskName> missing;
    for (const TaskName& task : trainers) {
      if (!said.contains(task)) missing.push_back(task);
    }
    if (missing.empty()) break;
    const bool chief_said =
        std::any_of(said.begin(), said.end(), [](const TaskName& task) {
          return task.job == kChiefJob || task.job == kMasterJob;
        });
    if (chief_said && absent.AreGone(missing)) {
      MR_LOG(Warning) << "the training is over without tasks that cannot be "
                         "reached: "
                      << TaskList(missing);
      break;
    }
    if (Pause(config, kPollSeconds,
              absl::StrCat("the end of the training by ", TaskList(missing)))) {
      return Cancelled("a stop was requested of the parameter server");
    }
  }
  MR_LOG(Info) << "the training is over";
  board.TakeBack();
  return OkStatus();
}

EndMarker::EndMarker(const RunConfig& config)
    : files_(config.file_system()),
      path_(JoinPath(config.model_dir, kMarkerName)),
      begun_(WallSecondsNow()) {}

Status EndMarker::Remove() const {
  const Status removed = files_->Delete(path_);
  return removed.code() == StatusCode::kNotFound ? OkStatus() : removed;
}

Status EndMarker::Write(const std::string& checkpoint) const {
  JsonObjectText text;
  if (checkpoint.empty()) {
    text.AddJson("checkpoint", "null");
  } else {
    text.Add("checkpoint", absl::string_view(checkpoint));
  }
  text.AddJson("time", absl::StrFormat("%.6f", WallSecondsNow()));
  return WriteFileAtomically(files_, path_, absl::StrCat(text.Text(), "\n"));
}

bool EndMarker::IsThere() const {
  const StatusOr<std::string> text = ReadFileToString(files_, path_);
  if (!text.ok()) return false;
  const StatusOr<Json> json = Json::Parse(*text);
  // It is being written or removed.
  const Json* const time = json.ok() ? json->Find("time") : nullptr;
  if (!time || !time->number()) return false;
  return *time->number() >= begun_ ||
         WallSecondsNow() - begun_ >= kGraceSeconds;
}

}  // namespace millrace::train
