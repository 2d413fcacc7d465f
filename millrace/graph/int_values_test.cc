#include "millrace/graph/int_values.h"

#include <gtest/gtest.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace millrace {
namespace {

constexpr int64_t kUnknown = IntValue::kUnknown;

IntValue Vector(std::initializer_list<int64_t> v) {
  return {DataType::kInt32, false, v};
}
IntValue Scalar(int64_t v) { return {DataType::kInt32, true, {v}}; }

// Result of a rule as text: "5", "[1,?]" or "none".
class Rule {
 public:
  explicit Rule(const char* op, AttrMap attrs = {}) : rule_(FindIntRule(op)) {
    node_.attrs = std::move(attrs);
    node_.output_types.assign(4, DataType::kInt32);
  }
  Rule& Type(DataType t) {
    node_.output_types.assign(4, t);
    return *this;
  }
  std::string operator()(std::vector<std::optional<IntValue>> values,
                         std::vector<PartialShape> shapes = {}, int port = 0) {
    node_.inputs.resize(std::max(values.size(), shapes.size()));
    shapes.resize(node_.inputs.size());
    const auto value = [&](int i) -> const IntValue* {
      return static_cast<size_t>(i) < values.size() && values[i] ? &*values[i]
                                                                 : nullptr;
    };
    const auto shape = [&](int i) -> const PartialShape& { return shapes[i]; };
    IntValue out;
    if (!rule_->rule({node_, value, shape}, port, &out)) return "none";
    const std::string text =
        absl::StrJoin(out.v, ",", [](std::string* s, int64_t e) {
          absl::StrAppend(s, e == kUnknown ? "?" : absl::StrCat(e));
        });
    return out.is_scalar ? text : absl::StrCat("[", text, "]");
  }

 private:
  Node node_;
  const IntRuleEntry* rule_;
};

TEST(IntValues, OfShapes) {
  EXPECT_EQ(Rule("Shape")({}, {{2, -1}}), "[2,?]");
  EXPECT_EQ(Rule("Shape")({}, {PartialShape()}), "none");
  EXPECT_EQ(Rule("Shape")({}, {{int64_t{1} << 40}}), "[?]");
  EXPECT_EQ(Rule("Shape").Type(DataType::kInt64)({}, {{int64_t{1} << 40}}),
            "[1099511627776]");
  EXPECT_EQ(Rule("ShapeN")({}, {{2}, {3, 4}}, 1), "[3,4]");
  EXPECT_EQ(Rule("Size")({}, {{2, 3}}), "6");
  EXPECT_EQ(Rule("Size")({}, {{2, -1}}), "none");
  EXPECT_EQ(Rule("Rank")({}, {{2, -1}}), "2");
}

TEST(IntValues, Moving) {
  EXPECT_EQ(Rule("Identity")({Vector({1, kUnknown})}), "[1,?]");
  EXPECT_EQ(
      Rule("Cast")({IntValue{DataType::kInt64, true, {int64_t{1} << 40}}}),
      "?");
  EXPECT_EQ(Rule("Cast").Type(DataType::kFloat)({Scalar(1)}), "none");
  EXPECT_EQ(Rule("Enter")({Scalar(1)}), "none");
  EXPECT_EQ(Rule("Enter", {{"is_constant", true}})({Scalar(1)}), "1");
  EXPECT_EQ(Rule("Pack")({Scalar(1), std::nullopt, Scalar(3)},
                         {{}, PartialShape({}), {}}),
            "[1,?,3]");
  EXPECT_EQ(Rule("Pack")({Scalar(1), std::nullopt}), "none");
  EXPECT_EQ(Rule("Pack")({Vector({1}), Vector({2})}), "none");
  EXPECT_EQ(Rule("Unpack")({Vector({1, 2})}, {}, 1), "2");
  EXPECT_EQ(Rule("ConcatV2")({Vector({1}), Vector({2, 3}), Scalar(0)}),
            "[1,2,3]");
  EXPECT_EQ(Rule("ConcatV2")({Vector({1}), std::nullopt, Scalar(0)},
                             {{1}, {2}, PartialShape({})}),
            "[1,?,?]");
  EXPECT_EQ(
      Rule("ConcatV2")({Vector({1}), std::nullopt, Scalar(0)}, {{1}, {-1}}),
      "none");
  EXPECT_EQ(Rule("Concat")({Scalar(0), Vector({1}), Vector({2})}), "[1,2]");
  EXPECT_EQ(Rule("Slice")({Vector({1, 2, 3}), Vector({1}), Vector({-1})}),
            "[2,3]");
  EXPECT_EQ(Rule("Slice")({Vector({1, 2, 3}), Vector({1}), Vector({3})}),
            "none");
  EXPECT_EQ(Rule("GatherV2")({Vector({1, 2, 3}), Vector({2, 0}), Scalar(0)}),
            "[3,1]");
  EXPECT_EQ(Rule("GatherV2")({Vector({1, 2, 3}), Scalar(1), Scalar(0)}), "2");
  EXPECT_EQ(Rule("Gather")({Vector({1, 2, 3}), Scalar(3)}), "none");
  EXPECT_EQ(Rule("ExpandDims")({Scalar(4), Scalar(0)}), "[4]");
  EXPECT_EQ(Rule("Squeeze")({Vector({4})}), "4");
  EXPECT_EQ(Rule("Reshape")({Scalar(4), Vector({-1})}), "[4]");
  EXPECT_EQ(Rule("Reshape")({Vector({4}), Vector({})}), "4");
  EXPECT_EQ(Rule("Reshape")({Vector({4}), Vector({2})}), "none");
  EXPECT_EQ(Rule("Fill")({Vector({3}), Scalar(7)}), "[7,7,7]");
  EXPECT_EQ(Rule("Fill")({Vector({1 << 30}), Scalar(7)}), "none");
  EXPECT_EQ(Rule("Range")({Scalar(0), Scalar(7), Scalar(3)}), "[0,3,6]");
  EXPECT_EQ(Rule("Range")({Scalar(3), Scalar(0), Scalar(-2)}), "[3,1]");
  EXPECT_EQ(Rule("Range")({Scalar(0), Scalar(1 << 30), Scalar(1)}), "none");
  EXPECT_EQ(Rule("Range")({Scalar(0), Scalar(1), Scalar(0)}), "none");
}

TEST(IntValues, StridedSlice) {
  const IntValue v = Vector({10, 11, 12, 13});
  const auto slice = [&](int64_t b, int64_t e, int64_t s, AttrMap attrs = {}) {
    return Rule("StridedSlice",
                std::move(attrs))({v, Vector({b}), Vector({e}), Vector({s})});
  };
  EXPECT_EQ(slice(1, 3, 1), "[11,12]");
  EXPECT_EQ(slice(-3, -1, 1), "[11,12]");
  EXPECT_EQ(slice(0, 100, 2), "[10,12]");
  EXPECT_EQ(slice(3, -100, -1), "[13,12,11,10]");
  EXPECT_EQ(slice(-1, 0, -2), "[13,11]");
  EXPECT_EQ(slice(2, 0, 1, {{"end_mask", 1}}), "[12,13]");
  EXPECT_EQ(slice(2, 0, -1, {{"begin_mask", 1}, {"end_mask", 1}}),
            "[13,12,11,10]");
  EXPECT_EQ(slice(0, 4, std::numeric_limits<int64_t>::max()), "[10]");
  EXPECT_EQ(slice(-1, 0, 1, {{"shrink_axis_mask", 1}}), "13");
  EXPECT_EQ(slice(4, 5, 1, {{"shrink_axis_mask", 1}}), "none");
  EXPECT_EQ(slice(0, 4, 1, {{"new_axis_mask", 1}}), "none");
  EXPECT_EQ(slice(0, 4, 0), "none");
}

TEST(IntValues, Arithmetic) {
  EXPECT_EQ(Rule("AddV2")({Vector({1, kUnknown}), Scalar(2)}), "[3,?]");
  EXPECT_EQ(Rule("Sub")({Scalar(1), Scalar(2)}), "-1");
  EXPECT_EQ(Rule("Mul")({Vector({0, 3}), Vector({kUnknown, 4})}), "[0,12]");
  EXPECT_EQ(Rule("Mul")({Scalar(1 << 20), Scalar(1 << 20)}), "?");
  EXPECT_EQ(Rule("FloorDiv")({Scalar(-7), Scalar(2)}), "-4");
  EXPECT_EQ(Rule("Div")({Scalar(-7), Scalar(2)}), "-3");
  EXPECT_EQ(Rule("FloorMod")({Scalar(-7), Scalar(2)}), "1");
  EXPECT_EQ(Rule("FloorDiv")({Scalar(7), Scalar(0)}), "?");
  EXPECT_EQ(Rule("Maximum")({Scalar(7), Scalar(9)}), "9");
  EXPECT_EQ(Rule("Minimum")({Scalar(7), Scalar(9)}), "7");
  EXPECT_EQ(Rule("Add")({Vector({1, 2}), Vector({1, 2, 3})}), "none");
  EXPECT_EQ(Rule("Add")({Scalar(1), std::nullopt}), "none");
  EXPECT_EQ(Rule("Prod")({Vector({2, 3}), Vector({0})}), "6");
  EXPECT_EQ(Rule("Prod", {{"keep_dims", true}})({Vector({2, 3}), Scalar(0)}),
            "[6]");
  EXPECT_EQ(Rule("Sum")({Vector({2, kUnknown}), Scalar(0)}), "?");
  EXPECT_EQ(Rule("Max")({Vector({2, 3}), Scalar(0)}), "3");
}

TEST(IntValues, Tensors) {
  IntValue v;
  ASSERT_TRUE(IntValue::FromTensor(Tensor::Vector<int64_t>({1, 2}), &v));
  EXPECT_TRUE(IdenticalTensors(v.ToTensor(), Tensor::Vector<int64_t>({1, 2})));
  ASSERT_TRUE(IntValue::FromTensor(Tensor::Scalar<int32_t>(3), &v));
  EXPECT_TRUE(IdenticalTensors(v.ToTensor(), Tensor::Scalar<int32_t>(3)));
  EXPECT_FALSE(IntValue::FromTensor(Tensor::Scalar(3.0f), &v));
  EXPECT_FALSE(IntValue::FromTensor(
      Tensor::Zeros(DataType::kInt32, TensorShape({2, 2})), &v));
  EXPECT_FALSE(IntValue::FromTensor(
      Tensor::Zeros(DataType::kInt32, TensorShape({2000})), &v));
}

}  // namespace
}  // namespace millrace
