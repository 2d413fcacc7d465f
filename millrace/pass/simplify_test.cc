#include "millrace/pass/simplify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/pass/testing/graphs.h"

namespace millrace {
namespace {

using testing::Contains;

class SimplifyTest : public testing::Test {
 protected:
  SimplifyTest() {
    g_.Add("x", "_Arg")
        .Add("n", "_Arg", {}, {{"T", DataType::kInt32}})
        .Const("one", 1)
        .Const("zero", 0)
        .Const("minus_zero", -0.0f)
        .Const("one_of_one", Tensor::Of<float>({1}, {1.0f}))
        .Const("int_one", Tensor::Scalar<int32_t>(1))
        .Const("int_zero", Tensor::Scalar<int32_t>(0));
  }
  // Returns the node that a reader of `op(inputs)` reads afterwards: "y" if it
  // is kept.
  std::string ReadsAfter(const std::string& op,
                         const std::vector<std::string>& inputs,
                         AttrMap attrs = {}) {
    const std::string y = absl::StrCat("y", ++count_);
    const DataType type = inputs[0] == "n" || inputs[0] == "int_zero"
                              ? DataType::kInt32
                              : DataType::kFloat;
    if (op != "Cast") attrs.Set("T", type);
    g_.Add(y, op, inputs, std::move(attrs));
    g_.Add(y + "/out", "_Retval", {y}, {{"T", type}});
    Run();
    const Node& out = g_.Named(y + "/out");
    const std::string read = g_.graph().node(out.inputs[0].node)->name;
    EXPECT_EQ(g_.graph().Find(y) != nullptr, read == y);
    return read == y ? "y" : read;
  }
  void Run(std::vector<std::string> targets = {}) {
    RunSignature signature;
    signature.targets = std::move(targets);
    const Status status = Simplify(signature, nullptr, &g_.graph());
    ASSERT_TRUE(status.ok()) << status;
  }
  RewriteGraph g_;
  int count_ = 0;
};

TEST_F(SimplifyTest, NeutralScalars) {
  EXPECT_EQ(ReadsAfter("Mul", {"x", "one"}), "x");
  EXPECT_EQ(ReadsAfter("Mul", {"one", "x"}), "x");
  EXPECT_EQ(ReadsAfter("Mul", {"n", "int_one"}), "n");
  EXPECT_EQ(ReadsAfter("Sub", {"x", "zero"}), "x");
  EXPECT_EQ(ReadsAfter("Sub", {"n", "int_zero"}), "n");
  EXPECT_EQ(ReadsAfter("AddV2", {"x", "minus_zero"}), "x");
  EXPECT_EQ(ReadsAfter("AddV2", {"int_zero", "n"}), "n");
}

TEST_F(SimplifyTest, WhatChangesSomethingStays) {
  // -0 + 0 is 0, and -0 - -0 is 0.
  EXPECT_EQ(ReadsAfter("AddV2", {"x", "zero"}), "y");
  EXPECT_EQ(ReadsAfter("Sub", {"x", "minus_zero"}), "y");
  EXPECT_EQ(ReadsAfter("Sub", {"zero", "x"}), "y");
  // A scalar x would get a dimension.
  EXPECT_EQ(ReadsAfter("Mul", {"x", "one_of_one"}), "y");
  EXPECT_EQ(ReadsAfter("Mul", {"x", "x"}), "y");
  EXPECT_EQ(ReadsAfter("Neg", {"x"}), "y");
}

TEST_F(SimplifyTest, WhatPassesItsInputOn) {
  EXPECT_EQ(ReadsAfter("Identity", {"x"}), "x");
  EXPECT_EQ(
      ReadsAfter("Cast", {"x"},
                 {{"SrcT", DataType::kFloat}, {"DstT", DataType::kFloat}}),
      "x");
  g_.Add("id", "Identity", {"x"}).Add("id2", "Identity", {"id"});
  EXPECT_EQ(ReadsAfter("Mul", {"id2", "one"}), "x");
}

TEST_F(SimplifyTest, TwiceIsOnceOrNot) {
  g_.Add("minus", "Neg", {"x"}).Add("relu", "Relu", {"x"});
  EXPECT_EQ(ReadsAfter("Neg", {"minus"}), "x");
  EXPECT_EQ(ReadsAfter("Relu", {"relu"}), "relu");
  EXPECT_EQ(ReadsAfter("Relu", {"minus"}), "y");
  g_.Add("random", "Random").Add("late", "Neg", {"x", "^random"});
  EXPECT_EQ(ReadsAfter("Neg", {"late"}), "y");
}

TEST_F(SimplifyTest, WaitsVariablesAndBranchesStay) {
  g_.Add("random", "Random").Add("v", "RefVar");
  EXPECT_EQ(ReadsAfter("Identity", {"x", "^random"}), "y");
  EXPECT_EQ(ReadsAfter("Identity", {"v"}), "y");
  g_.Const("yes", Tensor::Scalar(true)).Add("branch", "Switch", {"x", "yes"});
  EXPECT_EQ(ReadsAfter("Identity", {"branch:1"}), "y");
  g_.device = "/job:a/replica:0/task:0/device:CPU:1";
  EXPECT_EQ(ReadsAfter("Identity", {"x"}), "y");
}

TEST_F(SimplifyTest, TargetsAndWhatOthersWaitForStay) {
  g_.Add("id", "Identity", {"x"}).Add("target", "Identity", {"x"});
  g_.Add("then", "NoOp", {"^id"}).Add("out", "_Retval", {"id"});
  Run({"target"});
  EXPECT_THAT(g_.Lines(), Contains("id = Identity(x)"));
  EXPECT_THAT(g_.Lines(), Contains("then = NoOp(^id)"));
  EXPECT_THAT(g_.Lines(), Contains("out = _Retval(x)"));
  EXPECT_THAT(g_.Lines(), Contains("target = Identity(x)"));
}

}  // namespace
}  // namespace millrace
