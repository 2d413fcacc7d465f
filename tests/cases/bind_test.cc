#include "tests/cases/bind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::cases {
namespace {

using ::testing::HasSubstr;

constexpr OpDecl kPair =
    internal::OpName{"Pair"} | OpFields{.inputs = "a: N * T, b: N * int32",
                                        .outputs = "c: T",
                                        .attrs = "N: int >= 1; T: type"};
constexpr OpDecl kMany =
    internal::OpName{"Many"} |
    OpFields{.inputs = "h: resource, x: Tin",
             .outputs = "y: Tin",
             .attrs = "Tin: list(type); dtype: type; k: int = 3"};
constexpr OpDecl kRef =
    internal::OpName{"Update"} | OpFields{.inputs = "ref: Ref(T), v: T",
                                          .outputs = "out: Ref(T)",
                                          .attrs = "T: type"};
constexpr const OpDecl* kOps[] = {&kPair, &kMany, &kRef};

class BindTest : public ::testing::Test {
 protected:
  BindTest() : ops_(std::move(OpRegistry::Build(kOps)).value()) {}
  StatusOr<BoundCase> BindOne(const char* op, std::vector<Value> inputs,
                              AttrMap attrs = {}) {
    case_ = Case();
    case_.op = op;
    case_.Node("op", op, std::move(inputs), std::move(attrs)).Run({"op"});
    return Bind(case_, *ops_);
  }
  std::unique_ptr<const OpRegistry> ops_;
  Case case_;
};

TEST_F(BindTest, InfersLengthsAndTypes) {
  const auto bound = BindOne("Pair", {F32({2}), F32({2}), I32({}), I32({})});
  ASSERT_TRUE(bound.ok()) << bound.status();
  const NodeInfo& info = bound->nodes[0].info;
  EXPECT_EQ(*GetAttr<int64_t>(info.attrs, "N"), 2);
  EXPECT_EQ(*GetAttr<DataType>(info.attrs, "T"), DataType::kFloat);
  EXPECT_EQ(info.input_types.size(), 4u);
  EXPECT_EQ(bound->feeds[3].name, "op/3");
}

TEST_F(BindTest, ListsAndVariables) {
  const auto bound = BindOne("Many", {Var(F64({3})), I32({}), Str({"a"})});
  ASSERT_TRUE(bound.ok()) << bound.status();
  const NodeInfo& info = bound->nodes[0].info;
  EXPECT_EQ(*GetAttr<std::vector<DataType>>(info.attrs, "Tin"),
            (std::vector<DataType>{DataType::kInt32, DataType::kString}));
  EXPECT_EQ(*GetAttr<DataType>(info.attrs, "dtype"), DataType::kDouble);
  EXPECT_EQ(*GetAttr<int64_t>(info.attrs, "k"), 3);
  EXPECT_FALSE(bound->variables[0].is_ref);
  EXPECT_TRUE(
      BindOne("Update", {Var(F32({3})), F32({3})})->variables[0].is_ref);
}

TEST_F(BindTest, Mistakes) {
  EXPECT_EQ(BindOne("None", {}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(BindOne("Pair", {F32({}), F32({}), I32({})}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(
          BindOne("Update", {Var(F32({})), F64({})}).status().message()),
      HasSubstr("input 1 of Update is double, not float"));
}

TEST_F(BindTest, SequencesReferToEarlierNodes) {
  Case c;
  c.op = "Pair";
  c.Node("a", "Pair", {F32({2}), I32({})})
      .Node("b", "Pair", {"a", I32({})}, {}, {"a"});
  c.Run({"b", "a:0"});
  const auto bound = Bind(c, *ops_);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(bound->nodes[1].inputs[0].kind, Value::Kind::kNode);
  EXPECT_EQ(bound->nodes[1].control_inputs, std::vector<int>{0});
  EXPECT_EQ(bound->runs[0].fetches.size(), 2u);
  c.Node("d", "Pair", {"e", I32({})});
  EXPECT_FALSE(Bind(c, *ops_).ok());
}

TEST(Fills, AreTheSameEachTime) {
  ResetFills("MatMul");
  const Value a = F32({20}), b = F32({20});
  ResetFills("MatMul");
  EXPECT_TRUE(IdenticalTensors(a.tensor, F32({20}).tensor));
  EXPECT_FALSE(IdenticalTensors(a.tensor, b.tensor));
  for (float f : a.tensor.flat<float>()) EXPECT_TRUE(f >= -2 && f < 2);
  EXPECT_EQ(Of(DataType::kUint8, {1}, {-1}).tensor.flat<uint8_t>()[0], 255);
}

}  // namespace
}  // namespace millrace::cases
