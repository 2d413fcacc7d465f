#include "millrace/client/gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/testing/take_error.h"
#include "millrace/client/variables/variables.h"

namespace millrace {
namespace {

using testing::HasSubstr;

std::vector<float> Values(const Tensor& t) {
  const auto flat = t.flat<float>();
  return {flat.begin(), flat.end()};
}

TEST(Gradients, OfAProduct) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s.WithOpName("x"), {2.0f, 3.0f});
  const Output y = ops::Mul(s, x, x);
  const Output z = ops::Sum(s, ops::AddV2(s, y, x), {0});
  auto dx = ops::Gradients(s, {z}, {x, y});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_THAT(dx[0].tensor.op().name(), testing::StartsWith("gradients/"));
  Session session(s);
  auto out = session.Run({dx[0].tensor, dx[1].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(5, 7));
  EXPECT_THAT(Values((*out)[1]), testing::ElementsAre(1, 1));
}

TEST(Gradients, OfGradients) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 2.0f);
  const Output y = ops::Mul(s, ops::Square(s, x), x);
  auto first = ops::Gradients(s, {y}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  auto second = ops::Gradients(s, {first[0].tensor}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  EXPECT_FLOAT_EQ((*session.Run({first[0].tensor}))[0].scalar<float>(), 12);
  EXPECT_FLOAT_EQ((*session.Run({second[0].tensor}))[0].scalar<float>(), 12);
}

TEST(Gradients, WhatIsNotConnectedHasNone) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 2.0f);
  const Output other = ops::Const(s, 2.0f);
  const Output y = ops::Neg(s, x);
  auto dx = ops::Gradients(s, {y}, {other});
  ASSERT_TRUE(s.ok());
  EXPECT_FALSE(dx[0]);
  EXPECT_TRUE(
      ops::Gradients(s, {y}, {other}, {.zeros_if_unconnected = true})[0]);
  // Nor a value that only passes through an integer.
  const Output rounded =
      ops::Cast(s, ops::Cast(s, x, DataType::kInt32), DataType::kFloat);
  EXPECT_FALSE(ops::Gradients(s, {rounded}, {x})[0]);
}

TEST(Gradients, StopAndGivenOnes) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 3.0f);
  const Output inner = ops::Square(s, x);
  const Output y = ops::Mul(s, inner, x);
  auto stopped = ops::Gradients(s, {y}, {x}, {.stop_gradients = {inner}});
  auto scaled = ops::Gradients(s, {y}, {x},
                               {.grad_ys = {Gradient(ops::Const(s, 10.0f))}});
  ASSERT_TRUE(s.ok());
  Session session(s);
  EXPECT_FLOAT_EQ((*session.Run({stopped[0].tensor}))[0].scalar<float>(), 9);
  EXPECT_FLOAT_EQ((*session.Run({scaled[0].tensor}))[0].scalar<float>(), 270);
  const Gradient text(ops::Const(s, "text"));
  EXPECT_THAT(
      TakeError(s, ops::Gradients(s, {y}, {x}, {.grad_ys = {text}})).message(),
      HasSubstr("Gradient type string"));
}

TEST(Gradients, OpsWithoutGradientAreNamed) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, {1.0f, 2.0f});
  const Output y = ops::Bitcast(s.WithOpName("bits"), x, DataType::kFloat);
  const Status status = TakeError(s, ops::Gradients(s, {y}, {x}));
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("'bits' (op type: Bitcast)"));
  EXPECT_TRUE(s.ok());
}

TEST(Gradients, VariablesOfBothKinds) {
  for (const bool resource : {false, true}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(s.WithOpName("w"), {3.0f, 4.0f},
                          {.use_resource = resource});
    const Output loss = ops::L2Loss(s, ops::Mul(s, w, 2));
    auto dw = ops::Gradients(s, {loss}, {w.handle()});
    ASSERT_TRUE(s.ok()) << s.status();
    Session session(s);
    ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
    auto out = session.Run({dw[0].tensor});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(12, 16));
  }
}

TEST(Gradients, ThroughConditionals) {
  const Scope s = Scope::NewRoot();
  const Output pred = ops::Placeholder(s, DataType::kBool);
  const Output x = ops::Placeholder(s, DataType::kFloat);
  const auto branch = ops::Switch(s, x, pred);
  const Output cubed =
      ops::Mul(s, ops::Square(s, branch.output_true), branch.output_true);
  const Output y =
      ops::Merge(s, {ops::Neg(s, branch.output_false), cubed}).output;
  auto dx = ops::Gradients(s, {ops::Mul(s, y, 2)}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto taken = session.Run({{pred, true}, {x, 3}}, {dx[0].tensor});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_FLOAT_EQ((*taken)[0].scalar<float>(), 54);
  auto other = session.Run({{pred, false}, {x, 3}}, {dx[0].tensor});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_FLOAT_EQ((*other)[0].scalar<float>(), -2);
}

// In the branch that is taken, or not: read dense or by rows.
TEST(Gradients, OfVariablesInConditionals) {
  for (const bool resource : {false, true}) {
    for (const bool rows : {false, true}) {
      const Scope s = Scope::NewRoot();
      const ops::Variable w(s.WithOpName("w"), {3.0f, 4.0f},
                            {.use_resource = resource});
      const Output pred = ops::Placeholder(s, DataType::kBool);
      Output value;
      if (resource) {
        const Output handle = ops::Switch(s, w.handle(), pred).output_true;
        value = rows ? ops::ResourceGather(s, handle, {1}, DataType::kFloat)
                     : ops::ReadVariableOp(s, handle, DataType::kFloat);
      } else {
        value = ops::RefSwitch(s, w.handle(), pred).output_true;
        if (rows) value = ops::Gather(s, value, {1});
      }
      const Output other =
          ops::Switch(s, ops::Const(s, {5.0f, 6.0f}), pred).output_false;
      const Output y = ops::Merge(s, {other, ops::Square(s, value)}).output;
      // Outside of the conditional, too.
      const Output z = ops::Sum(s, ops::Mul(s, w, 10), {0});
      auto alone = ops::Gradients(s, {y}, {w.handle()});
      auto both = ops::Gradients(s, {y, z}, {w.handle()});
      ASSERT_TRUE(s.ok()) << s.status();
      EXPECT_EQ(alone[0].is_slices(), rows);
      const Output of_y = ops::ToTensor(s, alone[0]);
      const Output of_both = ops::ToTensor(s, both[0]);
      ASSERT_TRUE(s.ok()) << s.status();
      Session session(s);
      ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
      auto taken = session.Run({{pred, true}}, {of_y, of_both});
      ASSERT_TRUE(taken.ok()) << taken.status();
      const float first = rows ? 0 : 6;
      EXPECT_THAT(Values((*taken)[0]), testing::ElementsAre(first, 8));
      EXPECT_THAT(Values((*taken)[1]), testing::ElementsAre(first + 10, 18));
      auto not_taken = session.Run({{pred, false}}, {of_y, of_both});
      ASSERT_TRUE(not_taken.ok()) << not_taken.status();
      EXPECT_THAT(Values((*not_taken)[0]), testing::ElementsAre(0, 0));
      EXPECT_THAT(Values((*not_taken)[1]), testing::ElementsAre(10, 10));
    }
  }
}

// One of two variables is chosen and read.
TEST(Gradients, OfAChosenVariable) {
  const Scope s = Scope::NewRoot();
  const Output pred = ops::Placeholder(s, DataType::kBool);
  std::vector<ops::Variable> w;
  for (const char* name : {"a", "b"}) {
    w.emplace_back(s.WithOpName(name), ops::Const(s, {3.0f, 4.0f}),
                   ops::VariableOptions{.use_resource = true});
  }
  const Output handle =
      ops::Merge(s, {ops::Switch(s, w[0].handle(), pred).output_false,
                     ops::Switch(s, w[1].handle(), pred).output_true})
          .output;
  const Output rows = ops::ResourceGather(s, handle, {0}, DataType::kFloat);
  auto dw =
      ops::Gradients(s, {ops::Square(s, rows)}, {w[0].handle(), w[1].handle()});
  ASSERT_TRUE(s.ok()) << s.status();
  const Output a = ops::ToTensor(s, dw[0]);
  const Output b = ops::ToTensor(s, dw[1]);
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  for (const ops::Variable& v : w)
    ASSERT_TRUE(session.RunTargets({v.initializer()}).ok());
  for (const bool chosen : {false, true}) {
    auto out = session.Run({{pred, chosen}}, {a, b});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(Values((*out)[chosen]), testing::ElementsAre(6, 0));
    EXPECT_THAT(Values((*out)[!chosen]), testing::ElementsAre(0, 0));
  }
}

// By coordinates of rows, and of elements.
TEST(Gradients, OfSlicesOfAVariable) {
  const Scope s = Scope::NewRoot();
  const ops::Variable w(s.WithOpName("w"), {{3.0f, 4.0f}, {5.0f, 6.0f}},
                        {.use_resource = true});
  std::vector<Output> dw;
  for (const Output& indices :
       {ops::Const(s, {{1}, {1}}), ops::Const(s, {{1, 0}, {0, 1}})}) {
    const Output y =
        ops::ResourceGatherNd(s, w.handle(), indices, DataType::kFloat);
    auto dx = ops::Gradients(s, {ops::Square(s, y)}, {w.handle()});
    ASSERT_TRUE(s.ok()) << s.status();
    dw.push_back(ops::ToTensor(s, dx[0]));
  }
  Session session(s);
  ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
  auto out = session.Run({}, dw);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(0, 0, 20, 24));
  EXPECT_THAT(Values((*out)[1]), testing::ElementsAre(0, 8, 10, 0));
}

TEST(Gradients, ZerosOfVariables) {
  const Scope s = Scope::NewRoot();
  const ops::Variable known(s.WithOpName("known"), {3.0, 4.0},
                            {.use_resource = true});
  const ops::Variable any(s.WithOpName("any"), {{3.0f}, {4.0f}},
                          {.use_resource = true, .validate_shape = false});
  const ops::Variable reference(s.WithOpName("reference"), {3.0f});
  const Output y = ops::Const(s, 1.0f);
  auto dx =
      ops::Gradients(s, {y}, {known.handle(), any.handle(), reference.handle()},
                     {.zeros_if_unconnected = true});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  // A value known while the graph is built needs no feed.
  auto out = session.Run({dx[0].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].dtype(), DataType::kDouble);
  EXPECT_EQ((*out)[0].shape(), TensorShape({2}));
  ASSERT_TRUE(
      session.RunTargets({any.initializer(), reference.initializer()}).ok());
  out = session.Run({dx[1].tensor, dx[2].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), TensorShape({2, 1}));
  EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(0, 0));
  EXPECT_THAT(Values((*out)[1]), testing::ElementsAre(0));
  const Output unknown = ops::Placeholder(s, DataType::kResource);
  const Status refused = TakeError(
      s, ops::Gradients(s, {y}, {unknown}, {.zeros_if_unconnected = true}));
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("no zeros for 'Placeholder:0'"));
}

TEST(Gradients, OfIntegersThereAreNone) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, {2.5f, 3.5f});
  const Output rounded = ops::Cast(s, x, DataType::kInt32);
  const auto top = ops::TopKV2(s, x, 1);
  auto none = ops::Gradients(s, {rounded, top.indices}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_FALSE(none[0]);
  // Other ys have gradients all the same.
  auto some = ops::Gradients(
      s, {rounded, ops::Square(s, x), ops::Less(s, x, 3)}, {x, rounded});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto out = session.Run({some[0].tensor, some[1].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(5, 7));
  EXPECT_THAT((*out)[1].flat<int32_t>(), testing::ElementsAre(1, 1));
  // Theirs may be given as numbers of another type, which go on.
  const auto given =
      ops::Gradients(s, {rounded, ops::Square(s, x)}, {x, rounded},
                     {.grad_ys = {Gradient(x), Gradient()}});
  ASSERT_TRUE(s.ok()) << s.status();
  out = session.Run({given[0].tensor, given[1].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(7.5, 10.5));
  EXPECT_THAT(Values((*out)[1]), testing::ElementsAre(2.5, 3.5));
  for (const Output& y :
       {ops::Const(s, "text"), ops::Cast(s, x, DataType::kComplex64)}) {
    EXPECT_THAT(TakeError(s, ops::Gradients(s, {y}, {x})).message(),
                HasSubstr("must set grad_ys"));
  }
}

TEST(Gradients, LoopsWithoutVariablesAreRefused) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 1.0f);
  const Output y = ops::Exit(s.WithOpName("out"), ops::Enter(s, x, "loop"));
  const std::vector<Gradient> dx = ops::Gradients(s, {y}, {x});
  ASSERT_EQ(dx.size(), 1u);
  EXPECT_FALSE(dx[0]);
  const Status status = s.status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("No gradient through 'Enter'"));
}

TEST(Gradients, ADeepGraph) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 1.0f);
  Output y = x;
  for (int i = 0; i < 20'000; ++i) y = ops::Neg(s, y);
  auto dx = ops::Gradients(s, {y}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  EXPECT_FLOAT_EQ((*session.Run({dx[0].tensor}))[0].scalar<float>(), 1);
}

TEST(Gradients, GatedAreWhereTheyWereComputed) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 2.0f);
  const Output b = ops::Const(s, 5.0f);
  // The gradient of the sum is that of the square, on another task.
  const Output sum =
      ops::AddV2(s.WithDevice("/job:worker/task:1").WithOpName("sum"), a, b);
  const Output y =
      ops::Square(s.WithDevice("/job:worker/task:0").WithOpName("square"), sum);
  const auto dx =
      ops::Gradients(s, {y}, {a, b}, {.colocate_with_ops = true, .gate = true});
  ASSERT_TRUE(s.ok()) << s.status();
  for (const Gradient& each : dx) {
    const auto with = each.tensor.op().Attr<std::vector<std::string>>("_class");
    ASSERT_TRUE(with.ok()) << with.status();
    EXPECT_EQ(*with, std::vector<std::string>({"loc:@square"}));
  }
}

TEST(Gradients, Gated) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 2.0f);
  const Output b = ops::Const(s, 5.0f);
  auto dx = ops::Gradients(s, {ops::Mul(s, a, b)}, {a, b},
                           {.colocate_with_ops = true, .gate = true});
  const std::vector<Output> grads =
      ops::AddSymbolicGradients(s, {ops::Mul(s, a, b)}, {a, b});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto out = session.Run({dx[0].tensor, dx[1].tensor, grads[0]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 5);
  EXPECT_FLOAT_EQ((*out)[1].scalar<float>(), 2);
  EXPECT_FLOAT_EQ((*out)[2].scalar<float>(), 5);
}

}  // namespace
}  // namespace millrace
