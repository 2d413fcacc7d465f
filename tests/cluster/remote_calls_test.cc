// Functions that a step calls on devices of other tasks.
#include <gtest/gtest.h>

#include "tests/cluster/simulated_cluster.h"
#include "tests/support/graph_text.h"

namespace millrace {
namespace {

constexpr char kHere[] = "/job:worker/task:0";

// more(x) = x + x, and fails(x), which gives an error.
FunctionLibraryDef Functions() {
  FunctionDef more;
  more.signature.name = "more";
  more.signature.inputs = {{.name = "x", .type = DataType::kFloat}};
  more.signature.outputs = {{.name = "y", .type = DataType::kFloat}};
  FunctionDef fails = more;
  const AttrMap floats = {{"T", DataType::kFloat}};
  more.nodes = {{"sum", "AddV2", {"x", "x"}, "", floats}};
  more.ret = {{"y", "sum:z:0"}};
  fails.signature.name = "fails";
  fails.nodes = {{"check",
                  "CheckNumerics",
                  {"nan:y:0"},
                  "",
                  {{"T", DataType::kFloat}, {"message", "no number"}}},
                 {"nan", "Log", {"minus:y:0"}, "", floats},
                 {"minus", "Neg", {"x"}, "", floats}};
  fails.ret = {{"y", "check:output:0"}};
  return {{std::move(more), std::move(fails)}, {}};
}

// A graph of worker 0 with a node "call" for each function and target.
GraphDef Calls(const std::vector<std::pair<std::string, std::string>>& calls) {
  GraphDef def = GraphText().Const("x", 3, kHere).Take();
  def.library = Functions();
  const AttrValue::TypeList floats = {DataType::kFloat};
  for (size_t i = 0; i < calls.size(); ++i) {
    const std::string target = absl::StrCat("target", i);
    def.nodes.push_back(
        {target,
         "Const",
         {},
         kHere,
         {{"dtype", DataType::kString},
          {"value", Tensor::Scalar<absl::string_view>(calls[i].second)}}});
    def.nodes.push_back({absl::StrCat("call", i),
                         "RemoteCall",
                         {target, "x"},
                         kHere,
                         {{"Tin", floats},
                          {"Tout", floats},
                          {"f", NameAttrList{calls[i].first, {}}}}});
  }
  return def;
}

TEST(RemoteCalls, RunOnEachTask) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    std::vector<std::pair<std::string, std::string>> calls;
    for (const TaskName& task : cluster.tasks())
      calls.emplace_back("more", absl::StrCat(task.ToString(), "/cpu:0"));
    calls.emplace_back("more", "");
    ASSERT_TRUE(session.Create(Calls(calls)).ok());
    for (int run = 0; run < 3; ++run) {
      for (size_t i = 0; i < calls.size(); ++i) {
        const auto value = session.Fetch(absl::StrCat("call", i, ":0"));
        ASSERT_TRUE(value.ok()) << calls[i].second << ": " << value.status();
        EXPECT_EQ(*value, 6);
      }
    }
    // A task that only takes calls has a session, until the client closes its
    // own, and one graph.
    EXPECT_EQ(StatusOf(cluster, kPs1).worker_sessions, 1);
    EXPECT_EQ(StatusOf(cluster, kPs1).registered_graphs, 1);
    EXPECT_TRUE(session.Close().ok());
    const Deadline end = Deadline::AfterMillis(5'000);
    while (StatusOf(cluster, kPs1).worker_sessions > 0 && !end.expired())
      SleepUntil(Deadline::AfterMillis(10));
    EXPECT_EQ(StatusOf(cluster, kPs1).worker_sessions, 0);
  });
}

TEST(RemoteCalls, Errors) {
  OnCluster([](LoopbackCluster&, TestSession& session) {
    ASSERT_TRUE(session
                    .Create(Calls({{"fails", "/job:ps/task:1/cpu:0"},
                                   {"more", "/job:ps/task:1/cpu:9"},
                                   {"more", "/job:ps/task:7/cpu:0"},
                                   {"more", "/cpu:9"},
                                   {"more", "nonsense"}}))
                    .ok());
    const char* const words[] = {"no number", "unknown device.",
                                 "Could not find worker with target",
                                 "unknown device.", "Could not parse nonsense"};
    for (int i = 0; i < 5; ++i) {
      const Status status =
          session.Fetch(absl::StrCat("call", i, ":0")).status();
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
      EXPECT_NE(status.message().find(words[i]), absl::string_view::npos)
          << status;
    }
  });
}

TEST(RemoteCalls, ALostTaskEndsTheStep) {
  OnCluster([](LoopbackCluster& cluster, TestSession& session) {
    ASSERT_TRUE(session.Create(Calls({{"more", "/job:ps/task:1/cpu:0"}})).ok());
    ASSERT_TRUE(session.Fetch("call0:0").ok());
    cluster.Kill(kPs1);
    const Status status = session.Fetch("call0:0").status();
    EXPECT_TRUE(IsRecoverable(status)) << status;
  });
}

}  // namespace
}  // namespace millrace
