// Tests clusters that train and evaluate, within a simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "millrace/train/replicas/sync_replicas_hook.h"
#include "millrace/train/testing/estimator_tasks.h"

namespace millrace::train {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

void ForTaskSeeds(const std::function<void()>& body) {
  EXPECT_EQ(FirstFailure(kEstimatorSeeds, body,
                         [] { return testing::Test::HasFailure(); }),
            "");
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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
  ForTaskSeeds([] {
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

}  // namespace
}  // namespace millrace::train
