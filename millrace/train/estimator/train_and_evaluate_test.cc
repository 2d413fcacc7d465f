// Tests what a process does that trains and evaluates alone, and what is
// refused.
#include "millrace/train/estimator/train_and_evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "millrace/base/files/memory_files.h"
#include "millrace/train/testing/estimator_tasks.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace millrace::train
