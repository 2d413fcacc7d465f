#include "millrace/pass/fold_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/pass/testing/graphs.h"

namespace millrace {
namespace {

using testing::ElementsAre;

class FoldShapesTest : public testing::Test {
 protected:
  void Unfed(const std::string& name, PartialShape shape) {
    g_.Add(name, "Placeholder", {}, AttrMap({{"shape", std::move(shape)}}));
  }
  void Fold(std::vector<std::string> targets = {}) {
    RunSignature signature;
    signature.targets = std::move(targets);
    const Status status = FoldShapes(signature, &g_.graph());
    EXPECT_TRUE(status.ok()) << status;
  }
  RewriteGraph g_;
};

TEST_F(FoldShapesTest, AShapeNeedsNoValue) {
  Unfed("x", PartialShape({2, 3}));
  g_.Add("minus", "Neg", {"x"}).Add("shape", "Shape", {"minus"});
  g_.Add("out", "_Retval", {"shape"}, AttrMap({{"T", DataType::kInt32}}));
  Fold();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("out = _Retval(shape)", "shape = Const()"));
  const auto value = GetAttr<Tensor>(g_.Named("shape").attrs, "value");
  ASSERT_TRUE(value.ok());
  EXPECT_THAT(value->flat<int32_t>(), ElementsAre(2, 3));
}

TEST_F(FoldShapesTest, WhatElseReadsThePlaceholderStays) {
  Unfed("x", PartialShape({2}));
  g_.Add("shape", "Shape", {"x"}).Add("minus", "Neg", {"x"});
  g_.Add("out", "_Retval", {"shape"}, AttrMap({{"T", DataType::kInt32}}));
  g_.Add("value", "_Retval", {"minus"});
  Fold();
  EXPECT_THAT(
      g_.Lines(),
      ElementsAre("minus = Neg(x)", "out = _Retval(shape)", "shape = Const()",
                  "value = _Retval(minus)", "x = Placeholder()"));
}

TEST_F(FoldShapesTest, UnknownSizesNeedTheValue) {
  Unfed("x", PartialShape({2, kUnknownDim}));
  g_.Add("shape", "Shape", {"x"});
  g_.Add("out", "_Retval", {"shape"}, AttrMap({{"T", DataType::kInt32}}));
  Fold();
  EXPECT_THAT(g_.Lines(), ElementsAre("out = _Retval(shape)",
                                      "shape = Shape(x)", "x = Placeholder()"));
}

TEST_F(FoldShapesTest, ShapesOfWhatIsFedAreLeftToTheRun) {
  g_.Add("x", "_Arg").Const("c", 1).Add("sum", "AddV2", {"x", "c"});
  g_.Add("shape", "Shape", {"c"});
  g_.Add("out", "_Retval", {"shape"}, AttrMap({{"T", DataType::kInt32}}));
  g_.Add("value", "_Retval", {"sum"});
  const auto before = g_.Lines();
  Fold();
  EXPECT_EQ(g_.Lines(), before);
}

TEST_F(FoldShapesTest, ABranchMayBeDead) {
  Unfed("x", PartialShape({2}));
  g_.Add("p", "_Arg", {}, AttrMap({{"T", DataType::kBool}}));
  g_.Add("switch", "Switch", {"x", "p"}).Add("shape", "Shape", {"switch:1"});
  g_.Add("out", "_Retval", {"shape"}, AttrMap({{"T", DataType::kInt32}}));
  const auto before = g_.Lines();
  Fold();
  EXPECT_EQ(g_.Lines(), before);
}

TEST_F(FoldShapesTest, WhatItWaitedForIsWaitedForStill) {
  Unfed("x", PartialShape({2}));
  g_.Add("first", "Random").Add("shape", "Shape", {"x", "^first"});
  g_.Add("out", "_Retval", {"shape"}, AttrMap({{"T", DataType::kInt32}}));
  Fold();
  EXPECT_THAT(g_.Lines(),
              ElementsAre("first = Random()", "out = _Retval(shape)",
                          "shape = Const(^first)"));
}

}  // namespace
}  // namespace millrace
