#include "millrace/graph/int_rules.h"

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

// Returns the result of a rule as text: "5", "[1,?]" or "none".
class Rule {
 public:
  explicit Rule(IntRule rule, AttrMap attrs = {}) : rule_(rule) {
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
    if (!rule_({node_, value, shape}, port, &out)) return "none";
    const std::string text =
        absl::StrJoin(out.v, ",", [](std::string* s, int64_t e) {
          absl::StrAppend(s, e == kUnknown ? "?" : absl::StrCat(e));
        });
    return out.is_scalar ? text : absl::StrCat("[", text, "]");
  }

 private:
  Node node_;
  const IntRule rule_;
};

TEST(IntRules, OfShapes) {
  EXPECT_EQ(Rule(int_rules::Shape)({}, {{2, -1}}), "[2,?]");
  EXPECT_EQ(Rule(int_rules::Shape)({}, {PartialShape()}), "none");
  EXPECT_EQ(Rule(int_rules::Shape)({}, {{int64_t{1} << 40}}), "[?]");
  EXPECT_EQ(
      Rule(int_rules::Shape).Type(DataType::kInt64)({}, {{int64_t{1} << 40}}),
      "[1099511627776]");
  EXPECT_EQ(Rule(int_rules::Shape)({}, {{2}, {3, 4}}, 1), "[3,4]");
  EXPECT_EQ(Rule(int_rules::Size)({}, {{2, 3}}), "6");
  EXPECT_EQ(Rule(int_rules::Size)({}, {{2, -1}}), "none");
  EXPECT_EQ(Rule(int_rules::Rank)({}, {{2, -1}}), "2");
}

TEST(IntRules, Moving) {
  EXPECT_EQ(Rule(int_rules::Same)({Vector({1, kUnknown})}), "[1,?]");
  EXPECT_EQ(Rule(int_rules::Same)(
                {IntValue{DataType::kInt64, true, {int64_t{1} << 40}}}),
            "?");
  EXPECT_EQ(Rule(int_rules::Same).Type(DataType::kFloat)({Scalar(1)}), "none");
  EXPECT_EQ(Rule(int_rules::Enter)({Scalar(1)}), "none");
  EXPECT_EQ(Rule(int_rules::Enter, {{"is_constant", true}})({Scalar(1)}), "1");
  EXPECT_EQ(Rule(int_rules::Pack)({Scalar(1), std::nullopt, Scalar(3)},
                                  {{}, PartialShape({}), {}}),
            "[1,?,3]");
  EXPECT_EQ(Rule(int_rules::Pack)({Scalar(1), std::nullopt}), "[1,?]");
  EXPECT_EQ(Rule(int_rules::Pack)({std::nullopt, std::nullopt}), "none");
  EXPECT_EQ(
      Rule(int_rules::Pack)({Scalar(1), std::nullopt}, {{}, PartialShape({2})}),
      "none");
  EXPECT_EQ(Rule(int_rules::Pack)({Vector({1}), Vector({2})}), "none");
  EXPECT_EQ(Rule(int_rules::Unpack)({Vector({1, 2})}, {}, 1), "2");
  EXPECT_EQ(Rule(int_rules::ConcatV2)({Vector({1}), Vector({2, 3}), Scalar(0)}),
            "[1,2,3]");
  EXPECT_EQ(Rule(int_rules::ConcatV2)({Vector({1}), std::nullopt, Scalar(0)},
                                      {{1}, {2}, PartialShape({})}),
            "[1,?,?]");
  EXPECT_EQ(Rule(int_rules::ConcatV2)({Vector({1}), std::nullopt, Scalar(0)},
                                      {{1}, {-1}}),
            "none");
  EXPECT_EQ(Rule(int_rules::Concat)({Scalar(0), Vector({1}), Vector({2})}),
            "[1,2]");
  EXPECT_EQ(
      Rule(int_rules::Slice)({Vector({1, 2, 3}), Vector({1}), Vector({-1})}),
      "[2,3]");
  EXPECT_EQ(
      Rule(int_rules::Slice)({Vector({1, 2, 3}), Vector({1}), Vector({3})}),
      "none");
  EXPECT_EQ(
      Rule(int_rules::Gather)({Vector({1, 2, 3}), Vector({2, 0}), Scalar(0)}),
      "[3,1]");
  EXPECT_EQ(Rule(int_rules::Gather)({Vector({1, 2, 3}), Scalar(1), Scalar(0)}),
            "2");
  EXPECT_EQ(Rule(int_rules::Gather)({Vector({1, 2, 3}), Scalar(3)}), "none");
  EXPECT_EQ(Rule(int_rules::ExpandDims)({Scalar(4), Scalar(0)}), "[4]");
  EXPECT_EQ(Rule(int_rules::Squeeze)({Vector({4})}), "4");
  EXPECT_EQ(Rule(int_rules::Reshape)({Scalar(4), Vector({-1})}), "[4]");
  EXPECT_EQ(Rule(int_rules::Reshape)({Vector({4}), Vector({})}), "4");
  EXPECT_EQ(Rule(int_rules::Reshape)({Vector({4}), Vector({2})}), "none");
  EXPECT_EQ(Rule(int_rules::Fill)({Vector({3}), Scalar(7)}), "[7,7,7]");
  EXPECT_EQ(Rule(int_rules::Fill)({Vector({1 << 30}), Scalar(7)}), "none");
  EXPECT_EQ(Rule(int_rules::Range)({Scalar(0), Scalar(7), Scalar(3)}),
            "[0,3,6]");
  EXPECT_EQ(Rule(int_rules::Range)({Scalar(3), Scalar(0), Scalar(-2)}),
            "[3,1]");
  EXPECT_EQ(Rule(int_rules::Range)({Scalar(0), Scalar(1 << 30), Scalar(1)}),
            "none");
  EXPECT_EQ(Rule(int_rules::Range)({Scalar(0), Scalar(1), Scalar(0)}), "none");
}

TEST(IntRules, StridedSlice) {
  const IntValue v = Vector({10, 11, 12, 13});
  const auto slice = [&](int64_t b, int64_t e, int64_t s, AttrMap attrs = {}) {
    return Rule(int_rules::StridedSlice,
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

TEST(IntRules, Arithmetic) {
  EXPECT_EQ(Rule(int_rules::Add)({Vector({1, kUnknown}), Scalar(2)}), "[3,?]");
  EXPECT_EQ(Rule(int_rules::Subtract)({Scalar(1), Scalar(2)}), "-1");
  EXPECT_EQ(Rule(int_rules::Multiply)({Vector({0, 3}), Vector({kUnknown, 4})}),
            "[0,12]");
  EXPECT_EQ(Rule(int_rules::Multiply)({Scalar(1 << 20), Scalar(1 << 20)}), "?");
  EXPECT_EQ(Rule(int_rules::FloorDivide)({Scalar(-7), Scalar(2)}), "-4");
  EXPECT_EQ(Rule(int_rules::Divide)({Scalar(-7), Scalar(2)}), "-3");
  EXPECT_EQ(Rule(int_rules::FloorMod)({Scalar(-7), Scalar(2)}), "1");
  EXPECT_EQ(Rule(int_rules::FloorDivide)({Scalar(7), Scalar(0)}), "?");
  EXPECT_EQ(Rule(int_rules::Maximum)({Scalar(7), Scalar(9)}), "9");
  EXPECT_EQ(Rule(int_rules::Minimum)({Scalar(7), Scalar(9)}), "7");
  EXPECT_EQ(Rule(int_rules::Add)({Vector({1, 2}), Vector({1, 2, 3})}), "none");
  EXPECT_EQ(Rule(int_rules::Add)({Scalar(1), std::nullopt}), "none");
  EXPECT_EQ(Rule(int_rules::Product)({Vector({2, 3}), Vector({0})}), "6");
  EXPECT_EQ(Rule(int_rules::Product,
                 {{"keep_dims", true}})({Vector({2, 3}), Scalar(0)}),
            "[6]");
  EXPECT_EQ(Rule(int_rules::Sum)({Vector({2, kUnknown}), Scalar(0)}), "?");
  EXPECT_EQ(Rule(int_rules::ReduceMax)({Vector({2, 3}), Scalar(0)}), "3");
}

}  // namespace
}  // namespace millrace
