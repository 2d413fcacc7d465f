#include "millrace/pass/subexpression_elimination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/pass/testing/graphs.h"

namespace millrace {
namespace {

using testing::ElementsAre;

class CommonSubexpressionEliminationTest : public testing::Test {
 protected:
  void Share(std::vector<std::string> targets = {}) {
    RunSignature signature;
    signature.targets = std::move(targets);
    const Status status = EliminateCommonSubexpressions(signature, &g_.graph());
    ASSERT_TRUE(status.ok()) << status;
  }
  RewriteGraph g_;
};

TEST_F(CommonSubexpressionEliminationTest, EqualNodesAreComputedOnce) {
  g_.Add("x", "_Arg").Const("a", 2).Const("b", 2);
  g_.Add("p", "Mul", {"x", "a"}).Add("q", "Mul", {"x", "b"});
  g_.Add("r", "Neg", {"p"}).Add("s", "Neg", {"q"});
  g_.Add("sum", "AddV2", {"r", "s"}).Add("out", "_Retval", {"sum"});
  g_.Add("inner", "_Retval", {"s"});
  Share();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("a = Const()", "inner = _Retval(r)",
                          "out = _Retval(sum)", "p = Mul(x, a)", "r = Neg(p)",
                          "sum = AddV2(r, r)", "x = _Arg()"));
}

TEST_F(CommonSubexpressionEliminationTest, AllOutputsAreShared) {
  g_.Add("x", "_Arg").Add("p", "Two", {"x"}).Add("q", "Two", {"x"});
  g_.Add("a", "_Retval", {"p:1"}).Add("b", "_Retval", {"q"});
  g_.Add("c", "_Retval", {"q:1"});
  Share();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("a = _Retval(p:1)", "b = _Retval(p)",
                          "c = _Retval(p:1)", "p = Two(x)", "x = _Arg()"));
}

TEST_F(CommonSubexpressionEliminationTest, WhatDiffersStays) {
  g_.Add("x", "_Arg").Add("y", "_Arg").Add("v", "RefVar");
  g_.Const("two", 2)
      .Const("three", 3)
      .Const("two_of_one", Tensor::Of<float>({1}, {2.0f}))
      .Const("int", Tensor::Scalar<int32_t>(2));
  g_.Add("r", "Random").Add("s", "Random");
  g_.Add("xy", "Sub", {"x", "y"}).Add("yx", "Sub", {"y", "x"});
  g_.Add("product", "Mul", {"x", "y"});
  g_.Add("plain", "MatMul", {"x", "y"});
  g_.Add("transposed", "MatMul", {"x", "y"}, {{"transpose_a", true}});
  g_.Add("before", "Neg", {"x"}).Add("after", "Neg", {"x", "^r"});
  g_.Add("read", "Identity", {"v"}).Add("again", "Identity", {"v"});
  g_.Add("check", "CheckNumerics", {"x"}).Add("twice", "CheckNumerics", {"x"});
  g_.device = "/job:a/replica:0/task:0/device:CPU:1";
  g_.Add("elsewhere", "Sub", {"x", "y"});
  const std::vector<std::string> before = g_.Lines();
  Share();
  EXPECT_EQ(g_.Lines(), before);
}

TEST_F(CommonSubexpressionEliminationTest, TargetsAndWhatOthersWaitForStay) {
  g_.Add("x", "_Arg").Add("p", "Neg", {"x"}).Add("q", "Neg", {"x"});
  g_.Add("target", "Neg", {"x"}).Add("then", "NoOp", {"^q"});
  g_.Add("out", "_Retval", {"q"});
  Share({"target"});
  EXPECT_THAT(g_.Lines(),
              ElementsAre("out = _Retval(p)", "p = Neg(x)", "q = Neg(x)",
                          "target = Neg(x)", "then = NoOp(^q)", "x = _Arg()"));
}

TEST_F(CommonSubexpressionEliminationTest, ReadsOfAVariable) {
  g_.Add("v", "VarHandleOp").Add("w", "VarHandleOp").Add("r", "Random");
  g_.Add("a", "ReadVariableOp", {"v"}).Add("b", "ReadVariableOp", {"v"});
  g_.Add("other", "ReadVariableOp", {"w"});
  g_.Add("later", "ReadVariableOp", {"v", "^r"});
  g_.Add("later2", "ReadVariableOp", {"v", "^r"});
  g_.Add("update", "Random", {"^b"});  // a is read before it, too
  int n = 0;
  for (const char* read : {"a", "b", "other", "later", "later2"}) {
    g_.Add(absl::StrCat("out", n++), "_Retval", {read});
  }
  Share();
  EXPECT_THAT(
      g_.Lines(),
      ElementsAre("a = ReadVariableOp(v)", "later = ReadVariableOp(v, ^r)",
                  "other = ReadVariableOp(w)", "out0 = _Retval(a)",
                  "out1 = _Retval(a)", "out2 = _Retval(other)",
                  "out3 = _Retval(later)", "out4 = _Retval(later)",
                  "r = Random()", "update = Random(^a)", "v = VarHandleOp()",
                  "w = VarHandleOp()"));
}

// Many equal nodes must not take long: this would be five billion comparisons.
TEST_F(CommonSubexpressionEliminationTest, ManyNodes) {
  g_.Add("x", "_Arg");
  constexpr int kNodes = 100'000;
  for (int i = 0; i < kNodes; ++i) {
    g_.Add(absl::StrCat("n", i), "Neg", {"x"});
    g_.Add(absl::StrCat("c", i), "Const", {},
           AttrMap({{"dtype", DataType::kInt32},
                    {"value", Tensor::Scalar<int32_t>(i % 2)}}));
  }
  Share();
  // Unread nodes are removed, except the first of each kind.
  EXPECT_EQ(g_.graph().num_nodes(), 4);
}

}  // namespace
}  // namespace millrace
