// Tests of conditionals and loops in a local session, on one device and on two.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "millrace/session/testing/local_session_suite.h"

namespace millrace {
namespace {

class LocalControlFlowTest : public LocalSessionTest {};

TEST_F(LocalControlFlowTest, Conditional) {
  GraphDefBuilder b;
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
TEST_F(LocalControlFlowTest, ABranchOfConstantsOnAnotherDevice) {
  GraphDefBuilder b;
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
  GraphDefBuilder b;
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

TEST_F(LocalControlFlowTest, Loop) {
  for (int64_t parallel : {1, 2, 10}) {
    Start(LoopGraph("", parallel));
    auto result = Run({}, {"s_exit:0"});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ((*result)[0].scalar<int32_t>(), 5050);
  }
}

TEST_F(LocalControlFlowTest, LoopOverTwoDevices) {
  Start(LoopGraph("/cpu:1", 10), 2);
  for (int i = 0; i < 3; ++i) {
    auto result = Run({}, {"s_exit:0"});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ((*result)[0].scalar<int32_t>(), 5050);
  }
}

// On the condition's device the only Merge joins branches of the body.
TEST_F(LocalControlFlowTest, ALoopWhoseVariablesAreNotWhereItsConditionIs) {
  GraphDefBuilder b;
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
TEST_F(LocalControlFlowTest, AStackBetweenTwoLoopsOnAnotherDevice) {
  GraphDefBuilder b;
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

TEST_F(LocalControlFlowTest, EndlessLoopMeetsItsDeadline) {
  GraphDefBuilder b;
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

}  // namespace
}  // namespace millrace
