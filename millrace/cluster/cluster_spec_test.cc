#include "millrace/cluster/cluster_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace {
namespace {

using ::testing::HasSubstr;

TEST(TaskName, FromDeviceAndTaskNames) {
  const auto task = TaskName::Parse("/job:ps/replica:0/task:3/device:CPU:0");
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_EQ(*task, (TaskName{"ps", 3}));
  EXPECT_EQ(task->ToString(), "/job:ps/replica:0/task:3");
  EXPECT_EQ(task->AsDeviceName().TaskString(), task->ToString());
  EXPECT_EQ(*TaskName::Parse("/job:ps/task:3"), *task);
  EXPECT_FALSE(TaskName::Parse("/job:ps").ok());
  EXPECT_FALSE(TaskName::Parse("/job:ps/replica:1/task:0").ok());
}

TEST(ClusterSpec, TextAndBack) {
  const auto spec =
      ClusterSpec::Parse(" ps=a:1, b:2 ;worker=0@c:3,5@[::1]:4,d:5;");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->ToString(), "ps=a:1,b:2;worker=c:3,5@[::1]:4,d:5");
  EXPECT_EQ(spec->Tasks().size(), 5u);
  EXPECT_EQ(*spec->Address({"worker", 5}), "[::1]:4");
  EXPECT_EQ(*spec->Address({"worker", 6}), "d:5");
  EXPECT_FALSE(spec->Has({"worker", 1}));
  EXPECT_EQ(ClusterSpec::Parse(spec->ToString())->jobs(), spec->jobs());
  EXPECT_EQ(ClusterSpec::FromDef(spec->ToDef())->jobs(), spec->jobs());
  EXPECT_TRUE(ClusterSpec::Parse("local")->Has({"local", 0}));
}

TEST(ClusterSpec, WhatIsMissingIsNamed) {
  const auto spec = ClusterSpec::Parse("ps=a:1;worker=b:2,c:3");
  const Status job = spec->Address({"wroker", 0}).status();
  EXPECT_EQ(job.code(), StatusCode::kNotFound);
  EXPECT_THAT(job.message(), HasSubstr("ps, worker; did you mean 'worker'?"));
  EXPECT_THAT(spec->Address({"worker", 7}).status().message(),
              HasSubstr("0, 1"));
}

TEST(ClusterSpec, WrongTexts) {
  for (const char* text :
       {"", ";", "ps", "ps=", "ps=a", "ps=a:x", "ps=:1", "ps=a:70000", "1s=a:1",
        "p-s=a:1", "ps=a:1;ps=b:2", "ps=0@a:1,0@b:2", "ps=-1@a:1", "ps=x@a:1",
        "ps=9999999@a:1"}) {
    EXPECT_EQ(ClusterSpec::Parse(text).status().code(),
              StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(ClusterSpec, CommasBetweenJobs) {
  const Status status = ClusterSpec::Parse("ps=a:1,worker=b:2").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(),
              HasSubstr("'worker=b:2': expected host:port; jobs are separated "
                        "by ';'"));
}

// A reader of a file that another process writes may see any prefix.
TEST(ClusterSpec, NoBeginningOfAFileIsTakenForAll) {
  const std::string text = "ps=a:1;\nworker=b:22,c:3333\n";
  const std::string json =
      R"({"cluster": {"ps": ["a:1"], "worker": ["b:22", "c:3333"]}})";
  for (const std::string& whole : {text, json, json + "\n"}) {
    const auto spec = ClusterSpec::ParseFile(whole);
    ASSERT_TRUE(spec.ok()) << spec.status();
    EXPECT_EQ(spec->ToString(), "ps=a:1;worker=b:22,c:3333");
  }
  for (const std::string& whole : {text.substr(8), json}) {
    for (size_t n = 0; n < whole.size(); ++n) {
      EXPECT_EQ(ClusterSpec::ParseFile(whole.substr(0, n)).status().code(),
                StatusCode::kUnavailable)
          << whole.substr(0, n);
    }
  }
  const Status cut = ClusterSpec::ParseFile("worker=b:22,c:3").status();
  EXPECT_THAT(cut.message(), HasSubstr("'worker=b:22,c:3' and no line end"));
  // A complete text that is wrong is reported as wrong.
  for (const char* wrong : {"\n", "worker\n", "{\n", R"({"cluster": 7})"}) {
    EXPECT_EQ(ClusterSpec::ParseFile(wrong).status().code(),
              StatusCode::kInvalidArgument)
        << wrong;
  }
}

TEST(ClusterSpec, JsonOfTfConfig) {
  TaskName task;
  const auto spec = ClusterSpec::ParseJson(
      R"({"cluster": {"chief": "h:1", "ps": ["a:1", "b:2"], "worker": {"0": "c:3", "4": "d:4"}},
          "task": {"type": "worker", "index": "4"}, "environment": "cloud"})",
      &task);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->ToString(), "chief=h:1;ps=a:1,b:2;worker=c:3,4@d:4");
  EXPECT_EQ(task, (TaskName{"worker", 4}));
  EXPECT_TRUE(
      ClusterSpec::ParseJson(R"({"cluster": {"ps": ["a:1"]}})", nullptr).ok());
  for (const char* text :
       {"", "[]", "{}", R"({"cluster": 1})", R"({"cluster": {"ps": [1]}})",
        R"({"cluster": {"ps": {"x": "a:1"}}})",
        R"({"cluster": {"p s": ["a:1"]}})",
        R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0.5}})",
        R"({"cluster": {"ps": ["a:1"]}, "task": {"index": 0}})"}) {
    TaskName t;
    EXPECT_EQ(ClusterSpec::ParseJson(text, &t).status().code(),
              StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace millrace
