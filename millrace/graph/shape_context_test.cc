#include "millrace/graph/shape_context.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace millrace {
namespace {

const PartialShape kNoShape;

std::string Message(const Status& s) { return std::string(s.message()); }

TEST(ShapeContext, Ranks) {
  EXPECT_EQ(ShapeContext::WithRank(kNoShape, 2)->DebugString(), "[?,?]");
  EXPECT_EQ(Message(ShapeContext::WithRank({1, 2, 3}, 2).status()),
            "Shape must be rank 2 but is rank 3");
  EXPECT_EQ(
      Message(ShapeContext::WithRankAtLeast(PartialShape({1}), 2).status()),
      "Shape must be at least rank 2 but is rank 1");
  EXPECT_EQ(Message(ShapeContext::WithRankAtMost({1, 2, 3}, 2).status()),
            "Shape must be at most rank 2 but is rank 3");
  EXPECT_FALSE(ShapeContext::WithRankAtLeast(kNoShape, 2)->known_rank());
}

TEST(ShapeContext, Merging) {
  EXPECT_EQ(*ShapeContext::MergeDims(-1, 3), 3);
  EXPECT_EQ(*ShapeContext::MergeDims(3, -1), 3);
  EXPECT_EQ(Message(ShapeContext::MergeDims(2, 3).status()),
            "Dimensions must be equal, but are 2 and 3");
  EXPECT_EQ(ShapeContext::MergeShapes({2, -1}, {-1, 3})->DebugString(),
            "[2,3]");
  EXPECT_EQ(Message(ShapeContext::MergeShapes({2}, {2, 1}).status()),
            "Shapes must be equal rank, but are 1 and 2");
  EXPECT_EQ(Message(ShapeContext::MergeShapes({2}, {3}).status()),
            "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes "
            "are [2] and [3].");
  EXPECT_EQ(Message(ShapeContext::WithValue(4, 3).status()),
            "Dimension must be 3 but is 4");
}

TEST(ShapeContext, Arithmetic) {
  EXPECT_EQ(*ShapeContext::AddDims(2, 3), 5);
  EXPECT_EQ(*ShapeContext::AddDims(2, -1), kUnknownDim);
  EXPECT_FALSE(ShapeContext::AddDims(INT64_MAX, 1).ok());
  EXPECT_EQ(Message(ShapeContext::SubtractDims(3, 5).status()),
            "Negative dimension size caused by subtracting 5 from 3");
  EXPECT_EQ(*ShapeContext::MultiplyDims(0, -1), 0);
  EXPECT_FALSE(ShapeContext::MultiplyDims(INT64_MAX, 2).ok());
  EXPECT_EQ(Message(ShapeContext::DivideDims(7, 3).status()),
            "Dimension size must be evenly divisible by 3 but is 7");
  EXPECT_EQ(*ShapeContext::DivideDims(6, 3), 2);
  EXPECT_FALSE(ShapeContext::DivideDims(7, 0).ok());
}

TEST(ShapeContext, Parts) {
  const PartialShape s = {2, 3, 4};
  EXPECT_EQ(ShapeContext::Dim(s, -1), 4);
  EXPECT_EQ(ShapeContext::Dim(s, 3), kUnknownDim);
  EXPECT_EQ(ShapeContext::Dim(s, -4), kUnknownDim);
  EXPECT_EQ(ShapeContext::Subshape(s, 1)->DebugString(), "[3,4]");
  EXPECT_EQ(ShapeContext::Subshape(s, 0, -1)->DebugString(), "[2,3]");
  EXPECT_FALSE(ShapeContext::Subshape(s, 2, 1).ok());
  EXPECT_FALSE(ShapeContext::Subshape(s, -4).ok());
  EXPECT_EQ(ShapeContext::ReplaceDim(s, -2, 7)->DebugString(), "[2,7,4]");
  EXPECT_FALSE(ShapeContext::ReplaceDim(s, 3, 7).ok());
}

// Makes a context with inputs of given shapes and values.
class WithInputs : public testing::Test {
 protected:
  ShapeContext Context(std::vector<PartialShape> shapes, int outputs = 1) {
    std::vector<ShapeContext::Input> inputs;
    for (PartialShape& s : shapes) inputs.push_back({std::move(s), {}});
    return ShapeContext(name_, op_, attrs_, std::move(inputs), outputs, find_,
                        partial_find_);
  }
  static std::string OutputOf(Status status, const ShapeContext& c) {
    return status.ok() ? c.output(0).DebugString() : Message(status);
  }
  std::string name_ = "n";
  OpDef op_;
  AttrMap attrs_;
  std::optional<Tensor> value_;
  std::optional<PartialShape> partial_;
  std::function<const Tensor*(int)> find_ = [this](int) {
    return value_ ? &*value_ : nullptr;
  };
  std::function<bool(int, PartialShape*)> partial_find_ =
      [this](int, PartialShape* s) {
        if (partial_) *s = *partial_;
        return partial_.has_value();
      };
};

TEST_F(WithInputs, ShapeFromInput) {
  EXPECT_FALSE(Context({kNoShape}).ShapeFromInput(0)->known_rank());
  EXPECT_EQ(Context({{3}}).ShapeFromInput(0)->DebugString(), "[?,?,?]");
  EXPECT_FALSE(Context({{1000}}).ShapeFromInput(0).ok());
  EXPECT_EQ(Message(Context({{1, 2}}).ShapeFromInput(0).status()),
            "Shape must be at most rank 1 but is rank 2");
  partial_ = PartialShape({2, -1, 3});
  EXPECT_EQ(Context({{3}}).ShapeFromInput(0)->DebugString(), "[2,?,3]");
  value_ = Tensor::Vector<int32_t>({2, -1});
  EXPECT_EQ(Context({{2}}).ShapeFromInput(0)->DebugString(), "[2,?]");
  value_ = Tensor::Vector<int64_t>({2, -2});
  EXPECT_EQ(Message(Context({{2}}).ShapeFromInput(0).status()),
            "Invalid value in tensor used for shape: -2");
  value_ = Tensor::Vector<int64_t>({INT64_MAX, 2});
  EXPECT_FALSE(Context({{2}}).ShapeFromInput(0).ok());
  EXPECT_EQ(Context({{2}}).SizesFromInput(0)->dim(0), INT64_MAX);
  value_ = Tensor::Scalar<int32_t>(-1);
  EXPECT_FALSE(Context({PartialShape({})}).ShapeFromInput(0)->known_rank());
  value_ = Tensor::Scalar(1.0f);
  EXPECT_FALSE(Context({PartialShape({})}).ShapeFromInput(0).ok());
}

TEST_F(WithInputs, DimFromInput) {
  EXPECT_EQ(*Context({PartialShape({})}).DimFromInput(0), kUnknownDim);
  EXPECT_EQ(Message(Context({{1}}).DimFromInput(0).status()),
            "Input must be scalar but has rank 1");
  value_ = Tensor::Scalar<int32_t>(5);
  EXPECT_EQ(*Context({PartialShape({})}).DimFromInput(0), 5);
  value_ = Tensor::Scalar<int64_t>(-5);
  EXPECT_EQ(Message(Context({PartialShape({})}).DimFromInput(0).status()),
            "Dimension size, given by scalar input 0, must be non-negative but "
            "is -5");
}

TEST_F(WithInputs, SharedShapeFunctions) {
  const auto run = [&](ShapeFunction f, std::vector<PartialShape> inputs) {
    ShapeContext c = Context(std::move(inputs));
    const Status s = f(c);
    return OutputOf(s, c);
  };
  EXPECT_EQ(run(shapes::Broadcast, {{2, 1, 3}, {4, 1}}), "[2,4,3]");
  EXPECT_EQ(run(shapes::Broadcast, {{-1, 3}, {1, 3}}), "[?,3]");
  EXPECT_EQ(run(shapes::Broadcast, {{-1}, {5}}), "[5]");
  EXPECT_EQ(run(shapes::Broadcast, {{2}, {3}}),
            "Dimensions must be equal, but are 2 and 3");
  EXPECT_EQ(run(shapes::Broadcast, {kNoShape, {3}}), "<unknown>");
  EXPECT_EQ(run(shapes::MergeAll, {{2, -1}, {-1, 3}, kNoShape}), "[2,3]");
  EXPECT_EQ(run(shapes::MergeAll, {{2}, {3}}),
            "Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes "
            "are [3] and [2].\n\t"
            "From merging shape 0 with other shapes.");
  EXPECT_EQ(run(shapes::Join, {{2, 3}, {2, 4}}), "[2,?]");
  EXPECT_EQ(run(shapes::Join, {{2, 3}, {2}}), "<unknown>");
  EXPECT_EQ(run(shapes::Unchanged, {{2, 3}}), "[2,3]");
  EXPECT_EQ(run(shapes::Scalar, {}), "[]");
}

}  // namespace
}  // namespace millrace
