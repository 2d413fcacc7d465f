#include "millrace/pass/fold_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/base/clock.h"
#include "millrace/base/sim/sim.h"
#include "millrace/pass/testing/graphs.h"

namespace millrace {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

// Evaluates a few ops on scalars; Relu has no kernel.
std::optional<std::vector<Tensor>> ComputeScalars(const Node& node,
                                                  absl::Span<const Tensor> in) {
  const auto x = [&](size_t i) { return in[i].scalar<float>(); };
  using Values = std::vector<Tensor>;
  if (node.IsOp("AddV2")) return Values{Tensor::Scalar(x(0) + x(1))};
  if (node.IsOp("Neg") && in[0].rank() == 0) {
    return Values{Tensor::Scalar(-x(0))};
  }
  if (node.IsOp("Neg") || node.IsOp("Identity") || node.IsOp("Unknown")) {
    return Values{in[0]};
  }
  if (node.IsOp("Two")) {
    return Values{Tensor::Scalar(x(0) + 1), Tensor::Scalar(x(0) + 2)};
  }
  return std::nullopt;
}

class FoldConstantsTest : public testing::Test {
 protected:
  void Fold(std::vector<std::string> targets = {}, int64_t max_bytes = 0) {
    RunSignature signature;
    signature.targets = std::move(targets);
    const ConstantEvaluator evaluate = &ComputeScalars;
    const Status status =
        FoldConstants(signature, evaluate, max_bytes, &g_.graph());
    EXPECT_TRUE(status.ok()) << status;
  }
  RewriteGraph g_;
};

TEST_F(FoldConstantsTest, AChainBecomesOneConstantOfItsLastName) {
  g_.Const("a", 2).Const("b", 3).Add("sum", "AddV2", {"a", "b"});
  g_.Add("minus", "Neg", {"sum"}).Add("out", "_Retval", {"minus"});
  Fold();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("minus = Const()", "out = _Retval(minus)"));
  EXPECT_EQ(g_.ValueOf("minus"), -5);
}

TEST_F(FoldConstantsTest, WhatIsReadOutsideStays) {
  g_.Const("a", 2).Const("b", 3).Add("sum", "AddV2", {"a", "b"});
  g_.Add("minus", "Neg", {"sum"}).Add("arg", "_Arg");
  g_.Add("product", "Mul", {"arg", "a"});
  g_.Add("out", "_Retval", {"minus"}).Add("inner", "_Retval", {"sum"});
  Fold();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("a = Const()", "arg = _Arg()", "inner = _Retval(sum)",
                          "minus = Const()", "out = _Retval(minus)",
                          "product = Mul(arg, a)", "sum = Const()"));
  EXPECT_EQ(g_.ValueOf("sum"), 5);
}

TEST_F(FoldConstantsTest, WaitsArePassedOn) {
  g_.Add("first", "Random").Add("second", "Random");
  g_.Const("a", 2, {"^first"}).Const("b", 3);
  g_.Add("sum", "AddV2", {"a", "b", "^second"});
  g_.Add("minus", "Neg", {"sum"}).Add("out", "_Retval", {"minus"});
  g_.Add("then", "NoOp", {"^sum"});
  Fold();
  EXPECT_THAT(g_.Lines(), IsSupersetOf({"minus = Const(^first, ^second)",
                                        "sum = Const(^first, ^second)",
                                        "then = NoOp(^sum)"}));
}

// In a chain of constants with a control edge from each to the next, the
// control inputs are not listed again and again.
TEST_F(FoldConstantsTest, WaitsOfChainsAreNotMultiplied) {
  constexpr int kNodes = 20'000;
  std::vector<std::string> all;
  for (int i = 0; i < kNodes; ++i) {
    all.push_back(absl::StrCat("^r", i));
    g_.Add(absl::StrCat("r", i), "Random");
  }
  g_.Const("c0", 1, all);
  for (int i = 1; i < kNodes; ++i) {
    g_.Const(absl::StrCat("c", i), 1, {absl::StrCat("^c", i - 1)});
  }
  const std::string last = absl::StrCat("c", kNodes - 1);
  g_.Add("minus", "Neg", {last}).Add("out", "_Retval", {"minus"});
  Fold();
  EXPECT_TRUE(g_.Named("minus").IsOp("Neg"));
}

TEST_F(FoldConstantsTest, EachOutputThatIsReadIsAConstant) {
  g_.Const("a", 2).Add("two", "Two", {"a"});
  g_.Add("y", "_Retval", {"two"}).Add("z", "_Retval", {"two:1"});
  Fold();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("two = Const()", "two/output_1 = Const()",
                          "y = _Retval(two)", "z = _Retval(two/output_1)"));
  EXPECT_EQ(g_.ValueOf("two"), 3);
  EXPECT_EQ(g_.ValueOf("two/output_1"), 4);
}

TEST_F(FoldConstantsTest, TargetsStay) {
  g_.Const("a", 2).Add("minus", "Neg", {"a"});
  Fold({"minus"});
  EXPECT_THAT(g_.Lines(), ElementsAre("minus = Const()"));
}

// None of these nodes may be computed before the run.
TEST_F(FoldConstantsTest, OtherNodesStay) {
  g_.Const("a", 2).Add("arg", "_Arg").Add("random", "Random");
  g_.Add("fed", "AddV2", {"a", "arg"})
      .Add("drawn", "AddV2", {"a", "random"})
      .Add("no_kernel", "Relu", {"a"})
      .Add("may_fail", "CheckNumerics", {"a"})
      .Add("any_size", "Unknown", {"a"})
      .Const("yes", Tensor::Scalar(true))
      .Add("branch", "Switch", {"a", "yes"})
      .Add("in_branch", "Neg", {"branch:1"});
  g_.device = "/job:a/replica:0/task:0/device:CPU:1";
  g_.Add("elsewhere", "Neg", {"a"});
  g_.device = "/job:a/replica:0/task:0/device:GPU:0";
  g_.Const("on_gpu", 2).Add("gpu", "Neg", {"on_gpu"});
  const std::vector<std::string> before = g_.Lines();
  Fold();
  EXPECT_EQ(g_.Lines(), before);
}

TEST_F(FoldConstantsTest, LargeResultsStay) {
  g_.Const("row", Tensor::Zeros(DataType::kFloat, {1, 1000}));
  g_.Const("column", Tensor::Zeros(DataType::kFloat, {1000, 1}));
  g_.Add("outer", "AddV2", {"row", "column"}).Add("out", "_Retval", {"outer"});
  g_.Const("large", Tensor::Zeros(DataType::kFloat, {200'000}));
  g_.Add("same_size", "Neg", {"large"}).Add("out_2", "_Retval", {"same_size"});
  g_.Const("larger", Tensor::Zeros(DataType::kFloat, {300'000}));
  g_.Add("too_large", "Neg", {"larger"}).Add("out_3", "_Retval", {"too_large"});
  Fold();
  EXPECT_TRUE(g_.Named("outer").IsOp("AddV2"));
  EXPECT_TRUE(g_.Named("same_size").IsOp("Const"));
  EXPECT_TRUE(g_.Named("too_large").IsOp("Neg"));
}

TEST_F(FoldConstantsTest, ALimitOfItsOwn) {
  g_.Const("a", Tensor::Zeros(DataType::kFloat, {10})).Add("n", "Neg", {"a"});
  g_.Add("out", "_Retval", {"n"});
  Fold({}, 39);
  EXPECT_TRUE(g_.Named("n").IsOp("Neg"));
  Fold({}, 40);
  EXPECT_TRUE(g_.Named("n").IsOp("Const"));
}

// The first step waits for folding: nodes that take long are left to the runs.
TEST_F(FoldConstantsTest, TakesOnlySoLong) {
  const SimResult result = SimWorld({.seed = 1}).Run([&] {
    g_.Const("c", 1).Add("n0", "Neg", {"c"});
    for (int i = 1; i < 20; ++i) {
      g_.Add(absl::StrCat("n", i), "Neg", {absl::StrCat("n", i - 1)});
    }
    g_.Add("out", "_Retval", {"n19"});
    const ConstantEvaluator slow = [](const Node& node,
                                      absl::Span<const Tensor> in) {
      SleepUntil(Deadline::AfterMillis(100));
      return ComputeScalars(node, in);
    };
    EXPECT_TRUE(FoldConstants({}, slow, 0, &g_.graph()).ok());
  });
  EXPECT_TRUE(result.status.ok()) << result.Report();
  // Five nodes are folded in 500 ms.
  EXPECT_THAT(g_.Lines(), testing::Contains("n4 = Const()"));
  EXPECT_THAT(g_.Lines(), testing::Contains("n5 = Neg(n4)"));
}

}  // namespace
}  // namespace millrace
