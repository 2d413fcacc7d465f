#include "millrace/session/local_session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "millrace/device/devices.h"
#include "millrace/graph/all_ops.h"
#include "millrace/kernel/all_kernels.h"

namespace millrace {
namespace {

// Builds GraphDefs in few words.
class Builder {
 public:
  Builder& Add(std::string name, std::string op,
               std::vector<std::string> inputs = {}, AttrMap attrs = {},
               std::string device = "") {
    def_.nodes.push_back({std::move(name), std::move(op), std::move(inputs),
                          std::move(device), std::move(attrs)});
    return *this;
  }
  Builder& Const(std::string name, Tensor value,
                 std::vector<std::string> controls = {},
                 std::string device = "") {
    const DataType dtype = value.dtype();
    return Add(std::move(name), "Const", std::move(controls),
               {{"dtype", dtype}, {"value", std::move(value)}},
               std::move(device));
  }
  GraphDef Take() { return std::move(def_); }
  GraphDef& def() { return def_; }

 private:
  GraphDef def_;
};

const AttrMap kFloatT = {{"T", DataType::kFloat}};
const AttrMap kIntT = {{"T", DataType::kInt32}};

struct Tables {
  std::unique_ptr<const OpRegistry> ops;
  KernelTable kernels;
};
const Tables& RealTables() {
  static const Tables* const tables = [] {
    auto ops = OpRegistry::Build(AllOps());
    MR_CHECK(ops.ok(), ops.status().message());
    auto kernels = KernelTable::Build(AllKernels());
    MR_CHECK(kernels.ok(), kernels.status().message());
    return new Tables{*std::move(ops), *std::move(kernels)};
  }();
  return *tables;
}

class LocalSessionTest : public ::testing::Test {
 protected:
  void Start(GraphDef def, int cpus = 1) {
    LocalSessionOptions options;
    options.ops = RealTables().ops.get();
    options.kernels = &RealTables().kernels;
    DeviceOptions devices;
    devices.device_count["CPU"] = cpus;
    auto made = MakeDevices(devices, "localhost", 0);
    ASSERT_TRUE(made.ok()) << made.status();
    options.devices = *std::move(made);
    auto session = LocalSession::Create(std::move(options));
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    const Status extended = session_->Extend(def);
    ASSERT_TRUE(extended.ok()) << extended;
  }

  StatusOr<std::vector<Tensor>> Run(
      std::vector<std::pair<std::string, Tensor>> feeds,
      std::vector<std::string> fetches, std::vector<std::string> targets = {},
      RunOptions options = {}) {
    LocalSession::RunRequest request;
    request.feeds = std::move(feeds);
    request.fetches = std::move(fetches);
    request.targets = std::move(targets);
    request.options = options;
    std::vector<Tensor> outputs;
    MR_RETURN_IF_ERROR(session_->Run(request, &outputs, nullptr));
    return outputs;
  }

  float RunScalar(std::vector<std::pair<std::string, Tensor>> feeds,
                  std::string fetch) {
    auto result = Run(std::move(feeds), {std::move(fetch)});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? (*result)[0].scalar<float>() : -1;
  }

  std::unique_ptr<LocalSession> session_;
};

TEST_F(LocalSessionTest, FetchesAConstant) {
  Start(Builder().Const("c", Tensor::Scalar(42.0f)).Take());
  EXPECT_EQ(RunScalar({}, "c:0"), 42);
}

TEST_F(LocalSessionTest, FeedsAnyTensor) {
  Builder b;
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
  Builder b;
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
  Builder b;
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
  Builder b;
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
  Builder b;
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
  Builder b;
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
  Builder b;
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

TEST_F(LocalSessionTest, Conditional) {
  Builder b;
  b.Add("p", "Placeholder", {}, {{"dtype", DataType::kBool}});
  b.Const("x", Tensor::Scalar(10.0f));
  b.Add("s", "Switch", {"x", "p"}, kFloatT);
  b.Add("no", "Neg", {"s:0"}, kFloatT).Add("yes", "Square", {"s:1"}, kFloatT);
  b.Add("m", "Merge", {"no", "yes"}, {{"T", DataType::kFloat}, {"N", 2}});
  Start(b.Take());
  EXPECT_EQ(RunScalar({{"p:0", Tensor::Scalar(true)}}, "m:0"), 100);
  EXPECT_EQ(RunScalar({{"p:0", Tensor::Scalar(false)}}, "m:0"), -10);
  EXPECT_EQ(Run({{"p:0", Tensor::Scalar(true)}}, {"no:0"}).status().code(),
            StatusCode::kInvalidArgument);
}

// On the other device only control edges determine which branch is taken.
TEST_F(LocalSessionTest, ABranchOfConstantsOnAnotherDevice) {
  Builder b;
  const AttrMap bools = {{"T", DataType::kBool}};
  b.Add("p", "Placeholder", {}, {{"dtype", DataType::kBool}});
  b.Add("sw", "Switch", {"p", "p"}, bools);
  b.Add("no", "Identity", {"sw:0"}, bools)
      .Add("yes", "Identity", {"sw:1"}, bools);
  b.Const("ten", Tensor::Scalar(10.0f), {"^yes"}, "/cpu:1");
  b.Const("six", Tensor::Scalar(6.0f), {"^no"}, "/cpu:1");
  b.Add("m", "Merge", {"six", "ten"}, {{"T", DataType::kFloat}, {"N", 2}});
  Start(b.Take(), 2);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(RunScalar({{"p:0", Tensor::Scalar(true)}}, "m:0"), 10);
    EXPECT_EQ(RunScalar({{"p:0", Tensor::Scalar(false)}}, "m:0"), 6);
  }
}

// while (i < limit) { i += 1; sum += i }, with each part on a device.
GraphDef LoopGraph(std::string body_device, int64_t parallel) {
  Builder b;
  const AttrMap enter = {{"T", DataType::kInt32},
                         {"frame_name", "loop"},
                         {"parallel_iterations", parallel}};
  AttrMap constant_enter = enter;
  constant_enter.Set("is_constant", true);
  b.Const("zero", Tensor::Scalar<int32_t>(0))
      .Const("limit", Tensor::Scalar<int32_t>(100));
  b.Add("i_enter", "Enter", {"zero"}, enter)
      .Add("s_enter", "Enter", {"zero"}, enter);
  b.Add("l_enter", "Enter", {"limit"}, constant_enter);
  const AttrMap merge = {{"T", DataType::kInt32}, {"N", 2}};
  b.Add("i", "Merge", {"i_enter", "i_next"}, merge)
      .Add("s", "Merge", {"s_enter", "s_next"}, merge);
  b.Add("less", "Less", {"i", "l_enter"}, kIntT)
      .Add("cond", "LoopCond", {"less"});
  b.Add("i_switch", "Switch", {"i", "cond"}, kIntT)
      .Add("s_switch", "Switch", {"s", "cond"}, kIntT);
  b.Const("one", Tensor::Scalar<int32_t>(1), {"^i_switch"});
  b.def().nodes.back().inputs = {"^i_body"};
  b.Add("i_body", "Identity", {"i_switch:1"}, kIntT);
  b.Add("i_plus", "AddV2", {"i_body", "one"}, kIntT);
  b.Add("s_plus", "AddV2", {"s_switch:1", "i_plus"}, kIntT, body_device);
  b.Add("i_next", "NextIteration", {"i_plus"}, kIntT)
      .Add("s_next", "NextIteration", {"s_plus"}, kIntT);
  b.Add("s_exit", "Exit", {"s_switch"}, kIntT);
  return b.Take();
}

TEST_F(LocalSessionTest, Loop) {
  for (int64_t parallel : {1, 2, 10}) {
    Start(LoopGraph("", parallel));
    auto result = Run({}, {"s_exit:0"});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ((*result)[0].scalar<int32_t>(), 5050);
  }
}

TEST_F(LocalSessionTest, LoopOverTwoDevices) {
  Start(LoopGraph("/cpu:1", 10), 2);
  for (int i = 0; i < 3; ++i) {
    auto result = Run({}, {"s_exit:0"});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ((*result)[0].scalar<int32_t>(), 5050);
  }
}

// On the condition's device the only Merge joins branches of the body.
TEST_F(LocalSessionTest, ALoopWhoseVariablesAreNotWhereItsConditionIs) {
  Builder b;
  const AttrMap enter = {{"T", DataType::kInt32}, {"frame_name", "loop"}};
  const AttrMap merge = {{"T", DataType::kInt32}, {"N", 2}};
  AttrMap constant_enter = enter;
  constant_enter.Set("is_constant", true);
  b.Const("start", Tensor::Scalar<int32_t>(1))
      .Const("five", Tensor::Scalar<int32_t>(5))
      .Const("ten", Tensor::Scalar<int32_t>(10));
  b.Add("five_in", "Enter", {"five"}, constant_enter)
      .Add("ten_in", "Enter", {"ten"}, constant_enter)
      .Add("less", "Less", {"i", "ten_in"}, kIntT)
      .Add("cond", "LoopCond", {"less"});
  // Numbers below five are doubled, others squared.
  b.Add("small", "Less", {"i_switch:1", "five_in"}, kIntT)
      .Add("pick", "Switch", {"i_switch:1", "small"}, kIntT)
      .Add("square", "Square", {"pick"}, kIntT)
      .Add("twice", "AddV2", {"pick:1", "pick:1"}, kIntT)
      .Add("join", "Merge", {"square", "twice"}, merge);
  b.Add("i_enter", "Enter", {"start"}, enter, "/cpu:1")
      .Add("i", "Merge", {"i_enter", "i_next"}, merge, "/cpu:1")
      .Add("i_switch", "Switch", {"i", "cond"}, kIntT, "/cpu:1")
      .Add("i_next", "NextIteration", {"join"}, kIntT, "/cpu:1")
      .Add("i_exit", "Exit", {"i_switch"}, kIntT, "/cpu:1");
  Start(b.Take(), 2);
  auto result = Run({}, {"i_exit:0"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0].scalar<int32_t>(), 64);  // 1, 2, 4, 8, 64
}

// As in gradients of loops: one loop pushes values that another one pops, on a
// device where neither loop counts.
TEST_F(LocalSessionTest, AStackBetweenTwoLoopsOnAnotherDevice) {
  Builder b;
  const std::string there = "/cpu:1";
  const AttrMap element = {{"elem_type", DataType::kInt32}};
  const AttrMap merge = {{"T", DataType::kInt32}, {"N", 2}};
  const auto enter = [](absl::string_view frame, DataType type, bool constant) {
    return AttrMap({{"T", type},
                    {"frame_name", std::string(frame)},
                    {"is_constant", constant}});
  };
  const auto constant = [&](std::string name, int32_t value,
                            std::string after) {
    b.Const(std::move(name), Tensor::Scalar<int32_t>(value),
            {"^" + std::move(after)});
  };
  b.Const("any", Tensor::Scalar<int32_t>(-1), {}, there);
  b.Add("stack", "StackV2", {"any"}, element, there);
  b.Const("zero", Tensor::Scalar<int32_t>(0));
  // The first loop counts to 5 and pushes the square of each number.
  b.Add("f_enter", "Enter", {"zero"}, enter("f", DataType::kInt32, false));
  b.Add("f_stack", "Enter", {"stack"}, enter("f", DataType::kResource, true));
  b.Add("f", "Merge", {"f_enter", "f_next"}, merge);
  constant("f_limit", 5, "f");
  b.Add("f_less", "Less", {"f", "f_limit"}, kIntT);
  b.Add("f_cond", "LoopCond", {"f_less"});
  b.Add("f_switch", "Switch", {"f", "f_cond"}, kIntT);
  b.Add("f_body", "Identity", {"f_switch:1"}, kIntT);
  constant("f_one", 1, "f_body");
  b.Add("f_plus", "AddV2", {"f_body", "f_one"}, kIntT);
  b.Add("square", "Square", {"f_body"}, kIntT, there);
  b.Add("push", "StackPushV2", {"f_stack", "square", "^f_plus"}, kIntT);
  b.Add("f_next", "NextIteration", {"f_plus", "^push"}, kIntT);
  b.Add("count", "Exit", {"f_switch"}, kIntT);
  // The second one counts back and adds up the popped values.
  b.Add("b_enter", "Enter", {"count"}, enter("b", DataType::kInt32, false));
  b.Add("b_stack", "Enter", {"stack"}, enter("b", DataType::kResource, true));
  b.Add("s_enter", "Enter", {"zero"}, enter("b", DataType::kInt32, false));
  b.Add("b", "Merge", {"b_enter", "b_next"}, merge);
  b.Add("s", "Merge", {"s_enter", "s_next"}, merge);
  constant("b_limit", 1, "b");
  b.Add("b_more", "GreaterEqual", {"b", "b_limit"}, kIntT);
  b.Add("b_cond", "LoopCond", {"b_more"});
  b.Add("b_switch", "Switch", {"b", "b_cond"}, kIntT);
  b.Add("s_switch", "Switch", {"s", "b_cond"}, kIntT);
  constant("b_one", 1, "b_switch");
  b.Add("index", "Sub", {"b_switch:1", "b_one"}, kIntT);
  b.Add("pop", "StackPopV2", {"b_stack", "^index"}, element);
  b.Add("sync", "ControlTrigger", {"^pop"});
  b.Add("b_next", "NextIteration", {"index", "^sync"}, kIntT);
  // Ten times the sum so far, plus the popped value.
  constant("ten", 10, "b_switch");
  b.Add("shifted", "Mul", {"s_switch:1", "ten"}, kIntT);
  b.Add("s_plus", "AddV2", {"shifted", "pop"}, kIntT);
  b.Add("s_next", "NextIteration", {"s_plus"}, kIntT);
  b.Add("sum", "Exit", {"s_switch"}, kIntT);
  Start(b.Take(), 2);
  for (int i = 0; i < 20; ++i) {
    auto result = Run({}, {"sum:0"});
    ASSERT_TRUE(result.ok()) << result.status();
    // 16, 9, 4, 1, 0
    EXPECT_EQ((*result)[0].scalar<int32_t>(), 169410);
  }
}

TEST_F(LocalSessionTest, EndlessLoopMeetsItsDeadline) {
  Builder b;
  const AttrMap enter = {{"T", DataType::kBool}, {"frame_name", "ever"}};
  b.Const("t", Tensor::Scalar(true)).Add("enter", "Enter", {"t"}, enter);
  b.Add("m", "Merge", {"enter", "next"}, {{"T", DataType::kBool}, {"N", 2}});
  b.Add("cond", "LoopCond", {"m"})
      .Add("sw", "Switch", {"m", "cond"}, {{"T", DataType::kBool}});
  b.Add("next", "NextIteration", {"sw:1"}, {{"T", DataType::kBool}});
  b.Add("exit", "Exit", {"sw:0"}, {{"T", DataType::kBool}});
  Start(b.Take());
  RunOptions options;
  options.timeout_ms = 50;
  EXPECT_EQ(Run({}, {"exit:0"}, {}, options).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST_F(LocalSessionTest, CallsFunctions) {
  Builder b;
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
  Start(Builder().Const("a", Tensor::Scalar(1.0f)).Take());
  EXPECT_EQ(RunScalar({}, "a:0"), 1);
  ASSERT_TRUE(
      session_->Extend(Builder().Add("n", "Neg", {"a"}, kFloatT).Take()).ok());
  EXPECT_EQ(RunScalar({}, "n:0"), -1);
  // A bad extension changes nothing.
  EXPECT_FALSE(
      session_->Extend(Builder().Add("n", "Neg", {"a"}, kFloatT).Take()).ok());
  EXPECT_EQ(RunScalar({}, "n:0"), -1);
}

TEST_F(LocalSessionTest, ErrorsNameTheNode) {
  Builder b;
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
  Start(Builder().Take());
  const Status status = session_->Extend(
      Builder().Const("c", Tensor::Scalar(1.0f), {}, "/gpu:0").Take());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find(
                "Cannot assign a device for operation c: {{node c}} was "
                "explicitly assigned to /gpu:0 but available devices are [ "),
            absl::string_view::npos)
      << status;
}

TEST_F(LocalSessionTest, ManyRunsAtOnce) {
  Builder b;
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
