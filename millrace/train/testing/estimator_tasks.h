// For tests: a model that falls by 1 with each update, and a cluster within a
// simulation whose tasks train and evaluate it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/train/estimator/task_server.h"
#include "millrace/train/estimator/train_and_evaluate.h"
#include "millrace/train/input/input_producers.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/testing/replica_cluster.h"

namespace millrace::train {

// w begins at 0, and each update subtracts 1, which is also the loss.
inline EstimatorSpec Falling(const ModelArguments& model) {
  const Scope& s = model.scope;
  const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f));
  const Output loss = ops::Mul(s, model.Feature(), w);
  GradientDescentOptimizer rule(1.0f);
  EstimatorSpec spec;
  spec.loss = loss;
  spec.train_op = rule.Minimize(s, loss, {.global_step = model.global_step});
  return spec;
}

inline InputFunction InputOfOnes(std::optional<int64_t> count = std::nullopt) {
  return [count](const Scope& s, ModelMode) {
    return EstimatorInput{
        .features = {{"", LimitEpochs(s, ops::Const(s, 1.0f), count)}}};
  };
}

// Remembers at which global steps evaluations began.
class Evaluations final : public SessionHook {
 public:
  Status AfterCreate(HookContext& context) override {
    steps.push_back(context.global_step);
    return OkStatus();
  }
  std::vector<int64_t> steps;
};

inline TaskName ChiefTask() { return {.job = "chief", .index = 0}; }
inline TaskName FirstWorker() { return {.job = "worker", .index = 0}; }
inline TaskName SecondWorker() { return {.job = "worker", .index = 1}; }
inline TaskName PsTask() { return {.job = "ps", .index = 0}; }
inline TaskName EvaluatorTask() { return {.job = "evaluator", .index = 0}; }

// The deeds of a task's program, over all its starts.
struct TaskOutcome {
  Status status;  // of the last start
  std::optional<EvaluateResult> result;
  std::vector<int64_t> steps;  // that its runs saw
  Evaluations evaluations;
  int starts = 0;
};

// A cluster whose tasks run one program, each in a thread. A step takes a
// second.
class EstimatorTasks {
 public:
  explicit EstimatorTasks(std::string jobs) : jobs_(std::move(jobs)) {
    save_checkpoints_steps = 5;
    max_steps = 40;
  }

  // How the program trains.
  ModelFunction model = Falling;
  std::optional<int64_t> max_steps;
  int64_t save_checkpoints_steps;
  double session_creation_timeout_secs = 600;
  std::map<TaskName, int64_t> batches;  // no entry: without end
  // Called after each run, with the number of them since the start.
  std::function<void(const TaskName&, int64_t runs)> on_run;
  std::atomic<bool> killed{false};  // for `on_run`

  enum class Then { kStartsAgain, kStaysAway };
  // Ends a task that has a server, as a kill does.
  void Kill(const TaskName& task, Then then) {
    std::shared_ptr<Process> process;
    {
      MutexLock lock(mu_);
      process = running_.at(task);
    }
    MutexLock lock(process->mu);
    process->starts_again = then == Then::kStartsAgain;
    process->killed = true;
    process->stop.RequestStop();
    process->server->Kill();
  }

  // Asks a task to stop.
  void Stop(const TaskName& task) {
    MutexLock lock(mu_);
    running_.at(task)->stop.RequestStop();
  }

  // Runs the tasks side by side.
  std::map<TaskName, TaskOutcome> Run(const std::vector<TaskName>& tasks) {
    std::map<TaskName, TaskOutcome> outcomes;
    for (const TaskName& task : tasks) outcomes[task];
    std::vector<Thread> threads;
    for (const TaskName& task : tasks) {
      threads.emplace_back(task.ToString(), [this, task, &outcomes] {
        while (RunOnce(task, &outcomes.at(task))) {
        }
      });
    }
    for (Thread& thread : threads) thread.Join();
    return outcomes;
  }

  RunConfig Config(const TaskName& task, Coordinator* stop = nullptr) const {
    RunConfig config;
    config.model_dir = "/model";
    config.save_checkpoints_steps = save_checkpoints_steps;
    config.session_creation_timeout_secs = session_creation_timeout_secs;
    config.session.transport = network_;
    config.stop = stop;
    auto placed = RunConfig::FromTfConfig(
        absl::StrCat("{\"cluster\": {", jobs_, "}, \"task\": {\"type\": \"",
                     task.job, "\", \"index\": ", task.index, "}}"),
        config);
    MR_CHECK(placed.ok(), placed.status().ToString());
    return *std::move(placed);
  }

 private:
  struct Process {
    Coordinator stop;
    Mutex mu;  // guards all below; held while the task is killed
    std::unique_ptr<Server> server;
    bool killed = false;
    bool starts_again = false;
  };

  // Counts the runs of a task, and lets each take a second.
  class Counter final : public SessionHook {
   public:
    Counter(const EstimatorTasks& tasks, TaskName task, TaskOutcome* outcome)
        : tasks_(tasks), task_(std::move(task)), outcome_(*outcome) {}
    Status AfterRun(HookContext& context) override {
      outcome_.steps.push_back(context.global_step);
      ++runs_;
      if (tasks_.on_run) tasks_.on_run(task_, runs_);
      SleepUntil(Deadline::AfterMillis(1'000));
      return OkStatus();
    }

   private:
    const EstimatorTasks& tasks_;
    const TaskName task_;
    TaskOutcome& outcome_;
    int64_t runs_ = 0;
  };

  // Returns whether the task is to be started again.
  bool RunOnce(const TaskName& task, TaskOutcome* outcome) {
    const auto process = std::make_shared<Process>();
    const RunConfig config = Config(task, &process->stop);
    if (task.job != kEvaluatorJob) {
      auto server = StartTaskServer(config, {});
      MR_CHECK(server.ok(), server.status().ToString());
      process->server = *std::move(server);
    }
    {
      MutexLock lock(mu_);
      running_[task] = process;
    }
    ++outcome->starts;
    Counter counter(*this, task, outcome);
    Estimator estimator(model, config);
    const auto count = batches.find(task);
    auto result = TrainAndEvaluate(
        estimator,
        {.input =
             InputOfOnes(count == batches.end() ? std::nullopt
                                                : std::optional(count->second)),
         .max_steps = max_steps,
         .hooks = {&counter}},
        {.input = InputOfOnes(),
         .steps = 1,
         .hooks = {&outcome->evaluations},
         .start_delay_secs = 1,
         .throttle_secs = 2},
        {.running = process->server.get()});
    outcome->status = result.status();
    if (result.ok()) outcome->result = *std::move(result);
    MutexLock lock(process->mu);
    if (process->killed) {
      process->server->Join();
    } else if (process->server) {
      process->server->Stop(0);
    }
    process->server.reset();
    return process->starts_again;
  }

  const std::string jobs_;
  const std::shared_ptr<LoopbackNetwork> network_ =
      std::make_shared<LoopbackNetwork>();
  Mutex mu_;
  std::map<TaskName, std::shared_ptr<Process>> running_;  // guarded by mu_
};

inline constexpr uint64_t kEstimatorSeeds = 6;
inline constexpr char kUsualJobs[] =
    R"("chief": ["127.0.0.1:1001"],
       "worker": ["127.0.0.1:1002", "127.0.0.1:1003"],
       "ps": ["127.0.0.1:1004"])";

inline std::vector<TaskName> UsualTasks() {
  return {PsTask(), ChiefTask(), FirstWorker(), SecondWorker(),
          EvaluatorTask()};
}

}  // namespace millrace::train
