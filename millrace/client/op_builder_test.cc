#include "millrace/client/op_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"

namespace millrace {
namespace {

using testing::HasSubstr;

Tensor ValueOf(const Output& output) {
  auto value = output.op().Attr<Tensor>("value");
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *value : Tensor();
}

TEST(Literal, Values) {
  const Scope s = Scope::NewRoot();
  EXPECT_TRUE(
      IdenticalTensors(ValueOf(ops::Const(s, 3)), Tensor::Scalar<int32_t>(3)));
  EXPECT_TRUE(IdenticalTensors(ValueOf(ops::Const(s, 3LL)),
                               Tensor::Scalar<int64_t>(3)));
  EXPECT_TRUE(
      IdenticalTensors(ValueOf(ops::Const(s, "ab")), Tensor::Scalar("ab")));
  EXPECT_TRUE(IdenticalTensors(ValueOf(ops::Const(s, {{1.f, 2.f}, {3.f, 4.f}})),
                               Tensor::Of<float>({2, 2}, {1, 2, 3, 4})));
  EXPECT_TRUE(IdenticalTensors(ValueOf(ops::Const(s, {1, 2.5})),
                               Tensor::Vector<double>({1, 2.5})));
  EXPECT_TRUE(IdenticalTensors(ValueOf(ops::Const(s, {"a", "b"})),
                               Tensor::Vector<std::string>({"a", "b"})));
  EXPECT_TRUE(IdenticalTensors(ValueOf(ops::Const(s, std::vector<int>{4, 5})),
                               Tensor::Vector<int32_t>({4, 5})));
  EXPECT_TRUE(IdenticalTensors(ValueOf(ops::Const(s, {1, 0}, DataType::kHalf)),
                               Tensor::Vector<Half>({Half(1), Half(0)})));
  EXPECT_TRUE(s.ok()) << s.status();
}

TEST(OpBuilder, WhatTakesAReferenceIsBesideTheVariable) {
  const Scope s =
      Scope::NewRoot().WithDevice([](const Node& node) -> std::string {
        return node.IsOp("VariableV2") ? "/job:ps" : "/job:worker";
      });
  OpBuilder variable(s.WithOpName("w"), "VariableV2");
  variable.Attr("shape", PartialShape({})).Attr("dtype", DataType::kFloat);
  variable.Finish();
  OpBuilder assign(s, "AssignAdd");
  const Operation added = assign.In(variable.Out(0)).In(1.0f).Finish();
  ASSERT_TRUE(added) << s.status();
  EXPECT_EQ(added.device(), "/job:ps");
  EXPECT_EQ(added.input(1).op().device(), "/job:worker");
}

TEST(Literal, Errors) {
  EXPECT_THAT(Literal({{1, 2}, {3}}).status().message(),
              HasSubstr("differ in shape"));
  EXPECT_THAT(Literal({Literal(1), Literal("a")}).status().message(),
              HasSubstr("mixes"));
  EXPECT_THAT(Literal(300).As(DataType::kUint8).status().message(),
              HasSubstr("does not fit"));
  EXPECT_THAT(Literal(1.5).As(DataType::kInt32).status().message(),
              HasSubstr("does not fit"));
  EXPECT_FALSE(Literal(true).As(DataType::kFloat).ok());
  EXPECT_FALSE(Literal("a").As(DataType::kFloat).ok());
  // A tensor keeps its type.
  EXPECT_EQ(Literal(Tensor::Scalar<float>(1)).As(DataType::kDouble)->dtype(),
            DataType::kFloat);
}

TEST(OpBuilder, LiteralsTakeTheTypeOfTheOthers) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Placeholder(s, DataType::kDouble);
  EXPECT_EQ(ops::Mul(s, 2, x).dtype(), DataType::kDouble);
  EXPECT_EQ(ops::Mul(s, 2.0f, x).dtype(), DataType::kDouble);
}

TEST(OpBuilder, LiteralsAmongThemselvesTakeTheWidest) {
  const Scope s = Scope::NewRoot();
  EXPECT_EQ(ops::AddV2(s, 0, 2.5f).dtype(), DataType::kFloat);
  EXPECT_EQ(ops::AddV2(s, 1, int64_t{2}).dtype(), DataType::kInt64);
  EXPECT_TRUE(s.ok()) << s.status();
}

TEST(OpBuilder, TypesThatDoNotFit) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 1.0f);
  const Output b = ops::Const(s, 1);
  EXPECT_FALSE(ops::Mul(s.WithOpName("m"), a, b));
  EXPECT_THAT(s.status().message(),
              HasSubstr("Input 'y' of 'Mul' Op has type int32 that does not "
                        "match type float of "
                        "argument 'x'."));
  EXPECT_THAT(s.status().message(), HasSubstr("[[{{node m}}]]"));
}

TEST(OpBuilder, NumbersMustHaveTheirLength) {
  const Scope s = Scope::NewRoot();
  OpBuilder op(s, "Mul");
  op.In(1);
  EXPECT_FALSE(op.Finish());
  EXPECT_THAT(s.status().message(), HasSubstr("takes 2 inputs, got 1"));
}

TEST(OpBuilder, UnknownOpsAreNamed) {
  const Scope s = Scope::NewRoot();
  OpBuilder op(s, "MatMull");
  EXPECT_FALSE(op.Finish());
  EXPECT_EQ(s.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(s.status().message(), HasSubstr("MatMull"));
}

TEST(OpBuilder, AnotherGraphsOutputs) {
  const Scope s = Scope::NewRoot();
  const Scope other = Scope::NewRoot();
  EXPECT_FALSE(ops::Neg(s, ops::Const(other, 1.0f)));
  EXPECT_THAT(s.status().message(),
              HasSubstr("is not an element of this graph"));
}

TEST(OpBuilder, VariablesNeedAReference) {
  const Scope s = Scope::NewRoot();
  EXPECT_FALSE(ops::Assign(s, 1.0f, 2.0f));
  EXPECT_THAT(s.status().message(), HasSubstr("must be a variable"));
}

}  // namespace
}  // namespace millrace
