// Tests what tasks do: one process alone, and clusters within a simulation, in
// virtual time, each test from several seeds.
#include "millrace/train/estimator/train_and_evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>

#include "millrace/base/files/memory_files.h"
#include "millrace/base/sim/sim.h"
#include "millrace/client/default_tables.h"
#include "millrace/client/ops.h"
#include "millrace/rpc/loopback/loopback.h"
#include "millrace/train/estimator/end_of_training.h"
#include "millrace/train/estimator/task_server.h"
#include "millrace/train/input/input_producers.h"
#include "millrace/train/losses.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/replicas/sync_replicas_hook.h"

namespace millrace::train {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

constexpr uint64_t kEstimatorSeeds = 6;

// w begins at 0, and each update subtracts 1, which is also the loss.
EstimatorSpec Falling(const ModelArguments& model) {
  const Scope& s = model.scope;
  const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f));
  const Output loss = ops::Mul(s, model.Feature(), w);
  GradientDescentOptimizer rule(1.0f);
  EstimatorSpec spec;
  spec.loss = loss;
  spec.train_op = rule.Minimize(s, loss, {.global_step = model.global_step});
  return spec;
}

// The same for three replicas together.
EstimatorSpec FallingTogether(const ModelArguments& model) {
  if (model.mode != ModelMode::kTrain) return Falling(model);
  const Scope& s = model.scope;
  const ops::Variable w(s.WithOpName("w"), Tensor::Scalar(0.0f));
  const bool is_chief = model.config.place.is_chief;
  const auto rule = std::make_shared<GradientDescentOptimizer>(1.0f);
  const auto sync = std::make_shared<SyncReplicas>(
      rule.get(), SyncReplicasOptions{.gradients_per_step = 3});
  EstimatorSpec spec;
  spec.loss = ops::Mul(s, model.Feature(), w);
  spec.train_op =
      sync->Minimize(s, spec.loss, {.global_step = model.global_step});
  spec.training_hooks.push_back(std::make_shared<SyncReplicasHook>(
      *sync,
      SyncReplicasHookOptions{.is_chief = [is_chief] { return is_chief; }}));
  spec.owned = {rule, sync};
  return spec;
}

InputFunction InputOfOnes(std::optional<int64_t> count = std::nullopt) {
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

TEST(TrainAndEvaluate, InOneProcess) {
  MemoryFiles files;
  RunConfig config;
  config.model_dir = "/m";
  config.files = &files;
  config.save_checkpoints_steps = 2;
  Estimator estimator(Falling, config);
  Evaluations every;
  const auto result =
      TrainAndEvaluate(estimator, {.input = InputOfOnes(), .max_steps = 5},
                       {.input = InputOfOnes(),
                        .steps = 1,
                        .hooks = {&every},
                        .throttle_secs = 0});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(every.steps, ElementsAre(2, 4, 5));
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->global_step, 5);
  EXPECT_EQ((*result)->Number("loss").value(), -5);

  // Evaluations that come too soon are left out, but not the last one.
  config.model_dir = "/n";
  Estimator other(Falling, config);
  Evaluations few;
  const auto again = TrainAndEvaluate(
      other, {.input = InputOfOnes(7)},
      {.input = InputOfOnes(), .steps = 1, .name = "few", .hooks = {&few}});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(few.steps, ElementsAre(2, 7));
  EXPECT_TRUE(files.IsDirectory("/n/eval_few").ok());
}

// An evaluation that fails is not taken for the end of the input.
TEST(TrainAndEvaluate, AnEvaluationThatFails) {
  for (const Status& failure :
       {OutOfRange("no picture"), Cancelled("no picture"),
        Unavailable("no picture")}) {
    MemoryFiles files;
    RunConfig config;
    config.model_dir = "/m";
    config.files = &files;
    config.save_checkpoints_steps = 2;
    Estimator estimator(Falling, config);
    struct : SessionHook {
      Status AfterCreate(HookContext&) override { return result; }
      Status result;
    } hook;
    hook.result = failure;
    // A session that cannot be made is tried for so long.
    if (failure.code() == StatusCode::kUnavailable) {
      hook.result = OkStatus();
      files.SetFault([&](FileOp op, const std::string& path) {
        const bool is_event = path.find("/m/eval") != std::string::npos;
        return op == FileOp::kOpenWrite && is_event ? failure : OkStatus();
      });
    }
    const Status status =
        TrainAndEvaluate(estimator, {.input = InputOfOnes(), .max_steps = 5},
                         {.input = InputOfOnes(), .steps = 1, .hooks = {&hook}})
            .status();
    EXPECT_EQ(status.code(), failure.code() == StatusCode::kUnavailable
                                 ? StatusCode::kUnavailable
                                 : StatusCode::kInternal)
        << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("no picture"));
    EXPECT_EQ(estimator.NewestCheckpoint().value(), "/m/model.ckpt-2");
  }
}

TEST(TrainAndEvaluate, WhatMakesNoSense) {
  MemoryFiles files;
  RunConfig config;
  config.model_dir = "/m";
  config.files = &files;
  const auto message = [&](const TrainSpec& train, const EvalSpec& eval,
                           const std::string& tf_config = "") {
    const auto placed = RunConfig::FromTfConfig(tf_config, config);
    EXPECT_TRUE(placed.ok()) << placed.status();
    Estimator estimator(Falling, *placed);
    const Status status = TrainAndEvaluate(estimator, train, eval).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(message({}, {.input = InputOfOnes()}),
              HasSubstr("TrainSpec has no input"));
  EXPECT_THAT(message({.input = InputOfOnes()}, {}),
              HasSubstr("EvalSpec has no input"));
  EXPECT_THAT(message({.input = InputOfOnes(), .max_steps = 0},
                      {.input = InputOfOnes()}),
              HasSubstr("max_steps is 0, expected more than 0"));
  EXPECT_THAT(message({.input = InputOfOnes()},
                      {.input = InputOfOnes(), .throttle_secs = -1}),
              HasSubstr("throttle_secs is -1, expected 0 or more"));
  constexpr double kForever = std::numeric_limits<double>::infinity();
  EXPECT_THAT(
      message({.input = InputOfOnes()},
              {.input = InputOfOnes(), .throttle_secs = kForever}),
      HasSubstr("throttle_secs is inf, expected 0 or more, and finite"));
  EXPECT_THAT(
      message({.input = InputOfOnes()},
              {.input = InputOfOnes(), .start_delay_secs = kForever}),
      HasSubstr("start_delay_secs is inf, expected 0 or more, and finite"));
  const std::string jobs =
      R"({"cluster": {"chief": ["a:1"], "helper": ["b:1"]}, )";
  EXPECT_THAT(message({.input = InputOfOnes()}, {.input = InputOfOnes()},
                      jobs + R"("task": {"type": "helper", "index": 0}})"),
              HasSubstr("\"helper\" has nothing to do in a training, expected "
                        "one of the types chief, evaluator, master, ps and "
                        "worker"));
  EXPECT_THAT(message({.input = InputOfOnes()}, {.input = InputOfOnes()},
                      jobs + R"("task": {"type": "evaluator", "index": 1}})"),
              HasSubstr("there is one evaluator, of index 0, this is 1"));

  const auto ps = RunConfig::FromTfConfig(
      R"({"cluster": {"chief": ["a:1"], "ps": ["b:1"]},
          "task": {"type": "ps", "index": 0}})",
      config);
  Estimator estimator(Falling, *ps);
  EXPECT_EQ(estimator.Train(InputOfOnes()).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST(TrainAndEvaluate, ExitCodes) {
  EXPECT_EQ(ExitCodeFor(OkStatus()), 0);
  EXPECT_EQ(ExitCodeFor(InvalidArgument("no")), 1);
  EXPECT_EQ(ExitCodeFor(Unavailable("lost")), 138);
  EXPECT_EQ(ExitCodeFor(Aborted("lost")), 138);
  EXPECT_EQ(ExitCodeFor(DeadlineExceeded("lost")), 138);
}

TaskName ChiefTask() { return {.job = "chief", .index = 0}; }
TaskName FirstWorker() { return {.job = "worker", .index = 0}; }
TaskName SecondWorker() { return {.job = "worker", .index = 1}; }
TaskName PsTask() { return {.job = "ps", .index = 0}; }
TaskName EvaluatorTask() { return {.job = "evaluator", .index = 0}; }

// What a task's program did, over all its starts.
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

constexpr char kUsualJobs[] =
    R"("chief": ["127.0.0.1:1001"],
       "worker": ["127.0.0.1:1002", "127.0.0.1:1003"],
       "ps": ["127.0.0.1:1004"])";

std::vector<TaskName> UsualTasks() {
  return {PsTask(), ChiefTask(), FirstWorker(), SecondWorker(),
          EvaluatorTask()};
}

void InSimulations(const std::function<void()>& body) {
  DefaultOps();
  DefaultKernels();
  for (uint64_t seed = 1; seed <= kEstimatorSeeds; ++seed) {
    SimWorld world({.seed = seed});
    const SimResult result = world.Run([&] { body(); });
    ASSERT_TRUE(result.status.ok()) << result.Report();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

// Checks that all have come to their end, and the evaluator to that of the
// training. Updates that were under way at a checkpoint, of each other task at
// most one, may be in it without their step.
void CheckEnd(const std::map<TaskName, TaskOutcome>& outcomes,
              int64_t last_step, double under_way = 2) {
  for (const auto& [task, outcome] : outcomes) {
    EXPECT_TRUE(outcome.status.ok()) << task.ToString() << outcome.status;
  }
  const TaskOutcome& evaluator = outcomes.at(EvaluatorTask());
  ASSERT_TRUE(evaluator.result.has_value());
  EXPECT_GE(evaluator.result->global_step, last_step);
  EXPECT_GE(evaluator.evaluations.steps.size(), 2u);
  const double w = evaluator.result->Number("loss").value_or(0);
  EXPECT_NEAR(w, static_cast<double>(-evaluator.result->global_step),
              under_way);
  const auto files = DefaultFiles();
  EXPECT_TRUE(files->Exists("/model/training_over").ok());
  EXPECT_TRUE(files->IsDirectory("/model/eval").ok());
}

TEST(TrainAndEvaluate, OnACluster) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    const int64_t begin = NowNanos();
    std::map<TaskName, int64_t> first;  // when each had its first run
    Mutex mu;
    tasks.on_run = [&](const TaskName& task, int64_t runs) {
      MutexLock lock(mu);
      if (runs == 1) first[task] = NowNanos() - begin;
    };
    const auto outcomes = tasks.Run(UsualTasks());
    CheckEnd(outcomes, 40);
    // Workers begin five seconds after each other.
    constexpr int64_t kNanos = 1'000'000'000;
    EXPECT_LT(first[ChiefTask()], 5 * kNanos);
    EXPECT_THAT(first[FirstWorker()], AllOf(Ge(5 * kNanos), Le(8 * kNanos)));
    EXPECT_THAT(first[SecondWorker()], AllOf(Ge(10 * kNanos), Le(13 * kNanos)));
    // The chief writes, the others do not.
    const auto events =
        DefaultFiles()->GetMatchingPaths("/model/events.out.tfevents.*");
    EXPECT_EQ(events->size(), 1u);
    EXPECT_FALSE(outcomes.at(ChiefTask()).result.has_value());
  });
}

TEST(TrainAndEvaluate, ALostWorkerComesBack) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    tasks.on_run = [&](const TaskName& task, int64_t runs) {
      if (task == FirstWorker() && runs == 3 && !tasks.killed.exchange(true)) {
        tasks.Kill(task, EstimatorTasks::Then::kStartsAgain);
      }
    };
    const auto outcomes = tasks.Run(UsualTasks());
    CheckEnd(outcomes, 40);
    EXPECT_EQ(outcomes.at(FirstWorker()).starts, 2);
    EXPECT_GT(outcomes.at(FirstWorker()).steps.size(), 3u);
    EXPECT_EQ(outcomes.at(ChiefTask()).starts, 1);
  });
}

TEST(TrainAndEvaluate, ALostPsGetsTheNewestCheckpoint) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    tasks.on_run = [&](const TaskName& task, int64_t runs) {
      if (task == FirstWorker() && runs == 5 && !tasks.killed.exchange(true)) {
        tasks.Kill(PsTask(), EstimatorTasks::Then::kStartsAgain);
      }
    };
    const auto outcomes = tasks.Run(UsualTasks());
    CheckEnd(outcomes, 40, /*under_way=*/4);
    EXPECT_EQ(outcomes.at(PsTask()).starts, 2);
    EXPECT_EQ(outcomes.at(ChiefTask()).starts, 1);
    EXPECT_EQ(outcomes.at(FirstWorker()).starts, 1);
  });
}

TEST(TrainAndEvaluate, ALostChiefComesBack) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    tasks.on_run = [&](const TaskName& task, int64_t runs) {
      if (task == ChiefTask() && runs == 12 && !tasks.killed.exchange(true)) {
        tasks.Kill(task, EstimatorTasks::Then::kStartsAgain);
      }
    };
    const auto outcomes = tasks.Run(UsualTasks());
    CheckEnd(outcomes, 40);
    EXPECT_EQ(outcomes.at(ChiefTask()).starts, 2);
    // The values live on the ps: nothing is lost.
    const std::vector<int64_t>& steps = outcomes.at(ChiefTask()).steps;
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  });
}

TEST(TrainAndEvaluate, AWorkerMayStayAway) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    tasks.on_run = [&](const TaskName& task, int64_t runs) {
      if (task == SecondWorker() && runs == 2) {
        tasks.Kill(task, EstimatorTasks::Then::kStaysAway);
      }
    };
    auto outcomes = tasks.Run(UsualTasks());
    // It did not come to an end of the training.
    EXPECT_FALSE(outcomes.at(SecondWorker()).status.ok());
    outcomes.erase(SecondWorker());
    CheckEnd(outcomes, 40);
  });
}

TEST(TrainAndEvaluate, InputsOfDifferentLengths) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    tasks.max_steps = std::nullopt;
    tasks.batches = {
        {ChiefTask(), 12}, {FirstWorker(), 20}, {SecondWorker(), 1}};
    auto outcomes = tasks.Run(UsualTasks());
    for (const auto& [task, count] : tasks.batches) {
      EXPECT_EQ(outcomes.at(task).steps.size(), static_cast<size_t>(count));
    }
    CheckEnd(outcomes, 12);
  });
}

TEST(TrainAndEvaluate, AWorkerWithoutAChief) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    tasks.session_creation_timeout_secs = 60;
    tasks.on_run = [](const TaskName&, int64_t) { ADD_FAILURE(); };
    std::map<TaskName, TaskOutcome> outcomes;
    Thread ps("ps", [&] { outcomes = tasks.Run({PsTask(), FirstWorker()}); });
    // The ps waits for the others until it is stopped.
    SleepUntil(Deadline::AfterMillis(300'000));
    tasks.Stop(PsTask());
    ps.Join();
    const Status& status = outcomes.at(FirstWorker()).status;
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("variables without a value"));
    EXPECT_EQ(ExitCodeFor(status), 138);
    EXPECT_EQ(outcomes.at(PsTask()).status.code(), StatusCode::kCancelled);
  });
}

TEST(TrainAndEvaluate, InSynchrony) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    tasks.model = FallingTogether;
    tasks.max_steps = 10;
    const auto outcomes = tasks.Run(UsualTasks());
    CheckEnd(outcomes, 10);
    for (const TaskName& task : {ChiefTask(), FirstWorker(), SecondWorker()})
      EXPECT_GE(outcomes.at(task).steps.size(), 5u) << task.ToString();
  });
}

TEST(TrainAndEvaluate, AMasterEvaluates) {
  InSimulations([] {
    const TaskName master = {.job = "master", .index = 0};
    EstimatorTasks tasks(
        R"("master": ["127.0.0.1:1001"], "worker": ["127.0.0.1:1002"],
           "ps": ["127.0.0.1:1003"])");
    const auto outcomes = tasks.Run({PsTask(), master, FirstWorker()});
    for (const auto& [task, outcome] : outcomes) {
      EXPECT_TRUE(outcome.status.ok()) << task.ToString() << outcome.status;
    }
    const TaskOutcome& last = outcomes.at(master);
    ASSERT_TRUE(last.result.has_value());
    EXPECT_GE(last.result->global_step, 40);
    EXPECT_GE(last.evaluations.steps.size(), 3u);
    // The first worker writes down what happens in each step.
    const auto events =
        DefaultFiles()->GetMatchingPaths("/model/events.out.tfevents.*");
    ASSERT_EQ(events->size(), 1u);
    EXPECT_THAT((*events)[0], HasSubstr(".worker_0"));
  });
}

// A ps and the tasks that tell it their end, without programs.
class EndOfPs {
 public:
  EndOfPs() : ps_(tasks_.Config(PsTask())) { StartServer(); }
  ~EndOfPs() { server_->Stop(0); }

  void StartServer() {
    auto server = StartTaskServer(ps_, {});
    MR_CHECK(server.ok(), server.status().ToString());
    server_ = *std::move(server);
  }
  void KillServer() {
    server_->Kill();
    server_->Join();
    server_.reset();
  }
  // Waits as the ps, for so many seconds at most, while `meanwhile` runs; no
  // value if it waits even then.
  std::optional<Status> Await(double seconds,
                              const std::function<void()>& meanwhile) {
    std::optional<Status> ended;
    Mutex mu;
    Coordinator stop;
    const int64_t begun = NowNanos();
    Thread ps("ps", [&] {
      const Status status = AwaitEnd(tasks_.Config(PsTask(), &stop));
      waited_seconds_ = static_cast<double>(NowNanos() - begun) * 1e-9;
      MutexLock lock(mu);
      ended = status;
    });
    meanwhile();
    SleepUntil(Deadline::AfterMillis(static_cast<int64_t>(seconds * 1000)));
    std::optional<Status> result;
    {
      MutexLock lock(mu);
      result = ended;
    }
    stop.RequestStop();
    ps.Join();
    return result;
  }
  // Of the last wait.
  double waited_seconds() const { return waited_seconds_; }
  void Say(const TaskName& task) { ReportEnd(tasks_.Config(task)); }
  void SayAll() {
    for (const TaskName& task : {ChiefTask(), FirstWorker(), SecondWorker()})
      Say(task);
  }

 private:
  EstimatorTasks tasks_{kUsualJobs};
  const RunConfig ps_;
  std::unique_ptr<Server> server_;
  double waited_seconds_ = 0;
};

TEST(AwaitEnd, LooksAgain) {
  InSimulations([] {
    EndOfPs ps;
    const auto ended = ps.Await(5, [&ps] {
      SleepUntil(Deadline::AfterMillis(3'000));
      ps.KillServer();
      SleepUntil(Deadline::AfterMillis(60'000));
      ps.StartServer();
      ps.SayAll();
    });
    ASSERT_TRUE(ended.has_value());
    EXPECT_TRUE(ended->ok()) << *ended;
  });
  InSimulations([] {
    EndOfPs ps;
    const auto ended = ps.Await(200, [&ps] { ps.KillServer(); });
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(ended->code(), StatusCode::kUnavailable) << *ended;
    EXPECT_THAT(ps.waited_seconds(), AllOf(Ge(120), Le(140)));
    ps.StartServer();
  });
}

TEST(AwaitEnd, OfASecondTrainingOnTheServer) {
  InSimulations([] {
    EndOfPs ps;
    const auto first = ps.Await(5, [&ps] { ps.SayAll(); });
    ASSERT_TRUE(first.has_value());
    EXPECT_TRUE(first->ok()) << *first;
    const auto none = ps.Await(60, [] {});
    EXPECT_FALSE(none.has_value()) << *none;
    const auto some = ps.Await(60, [&ps] { ps.Say(FirstWorker()); });
    EXPECT_FALSE(some.has_value()) << *some;
    const auto second = ps.Await(5, [&ps] { ps.SayAll(); });
    ASSERT_TRUE(second.has_value());
    EXPECT_TRUE(second->ok()) << *second;
  });
}

TEST(EndMarker, AnOldOneCountsLater) {
  InSimulations([] {
    EstimatorTasks tasks(kUsualJobs);
    const RunConfig config = tasks.Config(EvaluatorTask());
    ASSERT_TRUE(DefaultFiles()->CreateDirRecursively("/model").ok());
    const EndMarker before(config);
    EXPECT_FALSE(before.IsThere());
    ASSERT_TRUE(before.Write("/model/model.ckpt-3").ok());
    EXPECT_TRUE(before.IsThere());
    SleepUntil(Deadline::AfterMillis(1'000));
    const EndMarker after(config);
    EXPECT_FALSE(after.IsThere());
    SleepUntil(Deadline::AfterMillis(120'000));
    EXPECT_TRUE(after.IsThere());
    EXPECT_TRUE(after.Remove().ok());
    EXPECT_TRUE(after.Remove().ok());
    EXPECT_FALSE(before.IsThere());
  });
}

}  // namespace
}  // namespace millrace::train
