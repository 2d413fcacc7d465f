#include "millrace/train/estimator/cluster_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "millrace/train/estimator/run_config.h"

namespace millrace::train {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kJobsOfTest[] =
    R"("chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1", "e:1"])";

std::string ConfigText(const std::string& type, int index,
                       const std::string& jobs = kJobsOfTest,
                       const std::string& rest = "") {
  return absl::StrCat("{\"cluster\": {", jobs, "}, \"task\": {\"type\": \"",
                      type, "\", \"index\": ", index, "}", rest, "}");
}

ClusterEnvironment PlaceIn(const std::string& text) {
  const auto place = ParseTfConfig(text);
  EXPECT_TRUE(place.ok()) << place.status();
  return place.value_or(ClusterEnvironment());
}

TEST(ClusterEnvironment, TasksOfACluster) {
  const ClusterEnvironment chief = PlaceIn(ConfigText("chief", 0));
  EXPECT_TRUE(chief.is_chief);
  EXPECT_EQ(chief.master, "grpc://a:1");
  EXPECT_EQ(chief.global_id, 0);
  EXPECT_EQ(chief.num_ps_replicas, 2);
  EXPECT_EQ(chief.num_worker_replicas, 3);

  const ClusterEnvironment worker = PlaceIn(ConfigText("worker", 1));
  EXPECT_FALSE(worker.is_chief);
  EXPECT_EQ(worker.master, "grpc://c:1");
  EXPECT_EQ(worker.global_id, 2);
  EXPECT_EQ(worker.task, (TaskName{"worker", 1}));

  const ClusterEnvironment ps = PlaceIn(ConfigText("ps", 1));
  EXPECT_EQ(ps.master, "grpc://e:1");
  EXPECT_EQ(ps.global_id, 4);

  const ClusterEnvironment evaluator = PlaceIn(ConfigText(
      "evaluator", 0, kJobsOfTest, R"(, "eval_session_master": "grpc://x:1")"));
  EXPECT_FALSE(evaluator.has_cluster());
  EXPECT_FALSE(evaluator.is_chief);
  EXPECT_EQ(evaluator.global_id, std::nullopt);
  EXPECT_EQ(evaluator.master, "");
  EXPECT_EQ(evaluator.evaluation_master, "grpc://x:1");
  EXPECT_EQ(evaluator.num_worker_replicas, 0);
}

TEST(ClusterEnvironment, OtherForms) {
  for (const char* text : {"", "  ", "{}", R"({"cluster": {}})",
                           R"({"task": {"type": "worker", "index": "0"}})"}) {
    const ClusterEnvironment alone = PlaceIn(text);
    EXPECT_FALSE(alone.has_cluster());
    EXPECT_TRUE(alone.is_chief);
    EXPECT_EQ(alone.master, "");
    EXPECT_EQ(alone.num_worker_replicas, 1);
  }
  const ClusterEnvironment told =
      PlaceIn(R"({"session_master": "grpc://m:1", "model_dir": "/d",
                  "service": {}})");
  EXPECT_EQ(told.master, "grpc://m:1");
  EXPECT_EQ(told.model_dir, "/d");
  // A cluster of one task needs no server.
  EXPECT_EQ(PlaceIn(ConfigText("chief", 0, R"("chief": "a:1")")).master, "");
  const ClusterEnvironment master = PlaceIn(
      ConfigText("master", 0, R"("master": ["a:1"], "worker": ["b:1"])"));
  EXPECT_TRUE(master.is_chief);
  EXPECT_EQ(master.num_worker_replicas, 2);
  EXPECT_EQ(PlaceIn(ConfigText("worker", 0, kJobsOfTest,
                               R"(, "session_master": "grpc://m:1")"))
                .master,
            "grpc://m:1");
}

TEST(ClusterEnvironment, WhatMakesNoSense) {
  const auto message = [](const std::string& text) {
    const Status status = ParseTfConfig(text).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("TF_CONFIG: "));
    return std::string(status.message());
  };
  EXPECT_THAT(message("{\"cluster\":\n {\"chief\" [\"a:1\"]}}"),
              AllOf(HasSubstr("line 2, column 11"),
                    HasSubstr("expected {\"cluster\": {\"chief\"")));
  EXPECT_THAT(message("[1]"), HasSubstr("it is a list, expected {"));
  EXPECT_THAT(message(ConfigText("wroker", 0)),
              AllOf(HasSubstr("Job 'wroker' is not in the cluster, whose jobs "
                              "are chief, ps, worker"),
                    HasSubstr("did you mean 'worker'?"),
                    HasSubstr("\"evaluator\" is beside the cluster")));
  EXPECT_THAT(message(ConfigText("worker", 2)),
              HasSubstr("Task 2 is not in job 'worker', whose tasks are 0, 1"));
  EXPECT_THAT(message(ConfigText("worker", 0, R"("worker": ["a:1"])")),
              HasSubstr("0 tasks of the job \"chief\", expected one; its jobs "
                        "are worker"));
  EXPECT_THAT(message(ConfigText("chief", 0, R"("chief": ["a:1", "b:1"])")),
              HasSubstr("2 tasks of the job \"chief\""));
  EXPECT_THAT(
      message(ConfigText("chief", 0, R"("chief": "a:1", "master": "b:1")")),
      HasSubstr("\"master\" and \"chief\", expected one of them"));
  EXPECT_THAT(message(ConfigText("evaluator", 0, R"("master": "b:1")")),
              HasSubstr("its master evaluates; expected a \"chief\""));
  EXPECT_THAT(message(R"({"cluster": {"chief": "a:1"}})"),
              HasSubstr("there is a \"task\" with its type and index"));
  EXPECT_THAT(message(R"({"cluster": {"chief": "a:1"},
                          "task": {"type": "chief"}})"),
              HasSubstr("with its type and index"));
  EXPECT_THAT(message(R"({"cluster": {"chief": "a"},
                          "task": {"type": "chief", "index": 0}})"),
              HasSubstr("Invalid address 'a': expected host:port"));
  EXPECT_THAT(message(R"({"task": {"type": "ps"}})"),
              HasSubstr("the type of the task is \"worker\", not \"ps\""));
  EXPECT_THAT(message(R"({"task": {"index": 1}})"),
              HasSubstr("the index of the task is 0"));
  EXPECT_THAT(message(R"({"model_dir": 1})"),
              HasSubstr("\"model_dir\" is a number, expected a text"));
}

std::vector<std::string> FiltersOf(const std::string& type, int index) {
  const auto config =
      RunConfig::FromTfConfig(ConfigText(type, index), {.model_dir = "/d"});
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? config->session.config.device_filters
                     : std::vector<std::string>();
}

TEST(RunConfig, SessionsSeeWhatTheirTaskUses) {
  EXPECT_THAT(FiltersOf("chief", 0), ElementsAre("/job:ps", "/job:chief"));
  EXPECT_THAT(FiltersOf("worker", 1),
              ElementsAre("/job:ps", "/job:worker/task:1"));
  EXPECT_THAT(FiltersOf("evaluator", 0), IsEmpty());
}

TEST(RunConfig, FolderAndNumbers) {
  const auto from = [](const std::string& text, const RunConfig& config) {
    return RunConfig::FromTfConfig(text, config);
  };
  EXPECT_EQ(from(R"({"model_dir": "/d"})", {})->model_dir, "/d");
  EXPECT_EQ(from(R"({"model_dir": "/d"})", {.model_dir = "/d"})->model_dir,
            "/d");
  const auto message = [&](const std::string& text, const RunConfig& config) {
    const Status status = from(text, config).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(message(R"({"model_dir": "/d"})", {.model_dir = "/e"}),
              HasSubstr("model_dir is /e, but TF_CONFIG has /d"));
  EXPECT_THAT(message("", {}), HasSubstr("model_dir is empty"));
  EXPECT_THAT(message("", {.model_dir = "/d",
                           .save_checkpoints_steps = 5,
                           .save_checkpoints_secs = 2}),
              HasSubstr("are both set (5 and 2), expected one of them"));
  EXPECT_THAT(message("", {.model_dir = "/d", .save_summary_steps = -1}),
              HasSubstr("save_summary_steps is -1, expected 0 or more"));
  EXPECT_THAT(
      message("", {.model_dir = "/d", .session_creation_timeout_secs = 0}),
      HasSubstr("session_creation_timeout_secs is 0, expected more than 0"));
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(
      message("",
              {.model_dir = "/d", .session_creation_timeout_secs = kNoNumber}),
      HasSubstr("session_creation_timeout_secs is nan, expected more than 0"));

  RunConfig config;
  EXPECT_EQ(config.checkpoint_seconds(), 600);
  EXPECT_EQ(config.checkpoint_steps(), 0);
  config.save_checkpoints_steps = 7;
  EXPECT_EQ(config.checkpoint_seconds(), 0);
  EXPECT_EQ(config.checkpoint_steps(), 7);
}

TEST(RunConfig, FromTheEnvironment) {
  ASSERT_EQ(setenv("TF_CONFIG", ConfigText("worker", 1).c_str(), 1), 0);
  const auto config = RunConfig::FromEnvironment({.model_dir = "/d"});
  ASSERT_EQ(unsetenv("TF_CONFIG"), 0);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->place.task.index, 1);
  EXPECT_EQ(RunConfig::FromEnvironment().status().code(),
            StatusCode::kInvalidArgument);  // without a folder
}

}  // namespace
}  // namespace millrace::train
