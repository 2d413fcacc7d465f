#include "millrace/session/local_session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/threads/thread.h"
#include "millrace/session/testing/local_session_suite.h"

namespace millrace {
namespace {

TEST_F(LocalSessionTest, FetchesAConstant) {
  Start(GraphDefBuilder().Const("c", Tensor::Scalar(42.0f)).Take());
  EXPECT_EQ(RunScalar({}, "c:0"), 42);
}

TEST_F(LocalSessionTest, FeedsAnyTensor) {
  GraphDefBuilder b;
  b.Const("a", Tensor::Scalar(1.0f)).Const("b", Tensor::Scalar(2.0f));
  b.Add("sum", "AddV2", {"a", "b"}, kFloatT)
      .Add("neg", "Neg", {"sum"}, kFloatT);
  Start(b.Take());
  EXPECT_EQ(RunScalar({}, "neg:0"), -3);
  EXPECT_EQ(RunScalar({{"a:0", Tensor::Scalar(5.0f)}}, "neg:0"), -7);
  EXPECT_EQ(RunScalar({{"sum:0", Tensor::Scalar(9.0f)}}, "neg:0"), -9);
  const Status both =
      Run({{"sum:0", Tensor::Scalar(9.0f)}}, {"sum:0"}).status();
  EXPECT_EQ(both.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(both.message(), "sum:0 is both fed and fetched.");
  EXPECT_EQ(Run({}, {}).status().message(),
            "Must specify at least one target to fetch or execute.");
  EXPECT_EQ(
      Run({{"nobody:0", Tensor::Scalar(5.0f)}}, {"neg:0"}).status().code(),
      StatusCode::kNotFound);
  EXPECT_EQ(
      Run({{"a:0", Tensor::Scalar<int32_t>(5)}}, {"neg:0"}).status().code(),
      StatusCode::kInvalidArgument);
}

AttrMap VariableAttrs() {
  return {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}};
}

TEST_F(LocalSessionTest, KeepsVariablesFromRunToRun) {
  GraphDefBuilder b;
  b.Add("v", "VariableV2", {}, VariableAttrs())
      .Const("one", Tensor::Scalar(1.0f));
  b.Add("init", "Assign", {"v", "one"}, kFloatT)
      .Add("add", "AssignAdd", {"v", "one"}, kFloatT);
  b.Add("read", "Identity", {"v"}, kFloatT);
  Start(b.Take());
  const Status uninitialized = Run({}, {"read:0"}).status();
  EXPECT_EQ(uninitialized.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(
      uninitialized.message().find("Attempting to use uninitialized value v"),
      absl::string_view::npos)
      << uninitialized;
  EXPECT_NE(uninitialized.message().find("[[{{node read}}]]"),
            absl::string_view::npos);
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  ASSERT_TRUE(Run({}, {}, {"add"}).ok());
  EXPECT_EQ(RunScalar({}, "add:0"), 3);
  EXPECT_EQ(RunScalar({}, "read:0"), 3);
}

TEST_F(LocalSessionTest, SnapshotsShowTheUpdatesBeforeTheirReaders) {
  GraphDefBuilder b;
  b.Add("v", "VariableV2", {}, VariableAttrs())
      .Const("one", Tensor::Scalar(1.0f));
  b.Add("init", "Assign", {"v", "one"}, kFloatT)
      .Add("view", "Identity", {"v"}, kFloatT);
  b.Add("before", "Neg", {"view"}, kFloatT)
      .Add("add", "AssignAdd", {"v", "one", "^before"}, kFloatT)
      .Add("after", "Neg", {"view", "^add"}, kFloatT);
  Start(b.Take());
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  for (int i = 1; i < 4; ++i) {
    const auto values = Run({}, {"before:0", "after:0", "view:0", "v:0"});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].scalar<float>(), -i);
    EXPECT_EQ((*values)[1].scalar<float>(), -i - 1);
    // Fetches have their values at the end of the step.
    EXPECT_EQ((*values)[2].scalar<float>(), i + 1);
    EXPECT_EQ((*values)[3].scalar<float>(), i + 1);
  }
}

// As in TensorFlow, a control edge from a fed node is kept; one from a
// placeholder has no effect.
TEST_F(LocalSessionTest, FedNodesAreStillWaitedFor) {
  GraphDefBuilder b;
  b.Add("v", "VariableV2", {}, VariableAttrs())
      .Const("one", Tensor::Scalar(1.0f));
  b.Add("init", "Assign", {"v", "one"}, kFloatT)
      .Add("add", "AssignAdd", {"v", "one"}, kFloatT)
      .Add("sum", "Identity", {"add"}, kFloatT)
      .Add("x", "Placeholder", {}, {{"dtype", DataType::kFloat}})
      .Add("y", "Neg", {"x", "^x", "^sum"}, kFloatT);
  Start(b.Take());
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  EXPECT_EQ(RunScalar({{"x:0", Tensor::Scalar(5.0f)},
                       {"sum:0", Tensor::Scalar(7.0f)}},
                      "y:0"),
            -5);
  EXPECT_EQ(RunScalar({}, "v:0"), 2);
}

TEST_F(LocalSessionTest, ResourceVariables) {
  GraphDefBuilder b;
  b.Add("h", "VarHandleOp", {}, VariableAttrs())
      .Const("two", Tensor::Scalar(2.0f));
  const AttrMap dtype = {{"dtype", DataType::kFloat}};
  b.Add("init", "AssignVariableOp", {"h", "two"}, dtype);
  b.Add("add", "AssignAddVariableOp", {"h", "two"}, dtype);
  b.Add("read", "ReadVariableOp", {"h"}, dtype);
  Start(b.Take());
  EXPECT_EQ(Run({}, {"read:0"}).status().code(),
            StatusCode::kFailedPrecondition);
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  ASSERT_TRUE(Run({}, {}, {"add"}).ok());
  EXPECT_EQ(RunScalar({}, "read:0"), 4);
}

TEST_F(LocalSessionTest, CrossesDevices) {
  GraphDefBuilder b;
  b.Const("a", Tensor::Scalar(3.0f), {}, "/cpu:0")
      .Const("b", Tensor::Scalar(4.0f), {}, "/cpu:1");
  b.Add("mul", "Mul", {"a", "b"}, kFloatT, "/cpu:1");
  b.Add("gate", "NoOp", {"^mul"}, {}, "/cpu:0");
  b.Add("after", "Identity", {"a", "^gate"}, kFloatT, "/cpu:0");
  Start(b.Take(), 2);
  EXPECT_EQ(RunScalar({}, "mul:0"), 12);
  EXPECT_EQ(RunScalar({}, "after:0"), 3);
}

TEST_F(LocalSessionTest, ReadsAVariableOnAnotherDeviceAfterTheWrites) {
  GraphDefBuilder b;
  b.Add("v", "VariableV2", {},
        {{"dtype", DataType::kFloat}, {"shape", PartialShape({})}}, "/cpu:0");
  b.Const("one", Tensor::Scalar(1.0f));
  b.Add("init", "Assign", {"v", "one"}, kFloatT);
  b.Add("add", "AssignAdd", {"v", "one"}, kFloatT);
  b.Add("far", "NoOp", {"^add"}, {}, "/cpu:1");
  b.Add("after_add", "Identity", {"v", "^add"}, kFloatT, "/cpu:1");
  b.Add("after_far", "Identity", {"v", "^far"}, kFloatT, "/cpu:1");
  Start(b.Take(), 2);
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  EXPECT_EQ(RunScalar({}, "after_add:0"), 2);
  EXPECT_EQ(RunScalar({}, "after_far:0"), 3);
}

TEST_F(LocalSessionTest, CallsFunctions) {
  GraphDefBuilder b;
  FunctionDef twice;
  twice.signature.name = "twice";
  twice.signature.inputs = {{.name = "x", .type = DataType::kFloat}};
  twice.signature.outputs = {{.name = "y", .type = DataType::kFloat}};
  twice.nodes.push_back({"sum", "AddV2", {"x", "x"}, "", kFloatT});
  twice.ret = {{"y", "sum:z:0"}};
  b.def().library.functions.push_back(std::move(twice));
  b.Const("c", Tensor::Scalar(21.0f));
  b.Add("call", "PartitionedCall", {"c"},
        {{"Tin", AttrValue::TypeList{DataType::kFloat}},
         {"Tout", AttrValue::TypeList{DataType::kFloat}},
         {"f", NameAttrList{"twice", {}}}});
  Start(b.Take());
  EXPECT_EQ(RunScalar({}, "call:0"), 42);
}

TEST_F(LocalSessionTest, GraphGrows) {
  Start(GraphDefBuilder().Const("a", Tensor::Scalar(1.0f)).Take());
  EXPECT_EQ(RunScalar({}, "a:0"), 1);
  ASSERT_TRUE(
      session_->Extend(GraphDefBuilder().Add("n", "Neg", {"a"}, kFloatT).Take())
          .ok());
  EXPECT_EQ(RunScalar({}, "n:0"), -1);
  // A bad extension changes nothing.
  EXPECT_FALSE(
      session_->Extend(GraphDefBuilder().Add("n", "Neg", {"a"}, kFloatT).Take())
          .ok());
  EXPECT_EQ(RunScalar({}, "n:0"), -1);
}

TEST_F(LocalSessionTest, ErrorsNameTheNode) {
  GraphDefBuilder b;
  b.Const("a", Tensor::Vector<float>({1, 2, 3}))
      .Const("b", Tensor::Vector<float>({1, 2}));
  b.Add("sum", "AddV2", {"a", "b"}, kFloatT);
  Start(b.Take());
  const Status status = Run({}, {"sum:0"}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("Incompatible shapes: [3] vs. [2]"),
            absl::string_view::npos)
      << status;
  EXPECT_NE(status.message().find("[[{{node sum}}]]"), absl::string_view::npos)
      << status;
}

TEST_F(LocalSessionTest, CannotAssignADevice) {
  LocalSessionOptions options;
  Start(GraphDefBuilder().Take());
  const Status status = session_->Extend(
      GraphDefBuilder().Const("c", Tensor::Scalar(1.0f), {}, "/gpu:0").Take());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find(
                "Cannot assign a device for operation c: {{node c}} was "
                "explicitly assigned to /gpu:0 but available devices are [ "),
            absl::string_view::npos)
      << status;
}

TEST_F(LocalSessionTest, ManyRunsAtOnce) {
  GraphDefBuilder b;
  b.Add("x", "Placeholder", {}, {{"dtype", DataType::kFloat}});
  b.Add("y", "Square", {"x"}, kFloatT).Add("z", "AddV2", {"y", "x"}, kFloatT);
  Start(b.Take());
  std::vector<Thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back("runner", [&, t] {
      for (int i = 0; i < 200; ++i) {
        const float x = static_cast<float>(t * 1000 + i);
        auto result = Run({{"x:0", Tensor::Scalar(x)}}, {"z:0"});
        if (!result.ok() || (*result)[0].scalar<float>() != x * x + x) ++wrong;
      }
    });
  }
  for (Thread& t : threads) t.Join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace millrace
