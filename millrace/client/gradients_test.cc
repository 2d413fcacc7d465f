#include "millrace/client/gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/client/variables.h"

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
  auto dx = Gradients(s, {z}, {x, y});
  ASSERT_TRUE(dx.ok()) << dx.status();
  EXPECT_THAT((*dx)[0].tensor.op().name(), testing::StartsWith("gradients/"));
  Session session(s);
  auto out = session.Run({(*dx)[0].tensor, (*dx)[1].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(5, 7));
  EXPECT_THAT(Values((*out)[1]), testing::ElementsAre(1, 1));
}

TEST(Gradients, OfGradients) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 2.0f);
  const Output y = ops::Mul(s, ops::Square(s, x), x);
  auto first = Gradients(s, {y}, {x});
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = Gradients(s, {(*first)[0].tensor}, {x});
  ASSERT_TRUE(second.ok()) << second.status();
  Session session(s);
  EXPECT_FLOAT_EQ((*session.Run({(*first)[0].tensor}))[0].scalar<float>(), 12);
  EXPECT_FLOAT_EQ((*session.Run({(*second)[0].tensor}))[0].scalar<float>(), 12);
}

TEST(Gradients, WhatIsNotConnectedHasNone) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 2.0f);
  const Output other = ops::Const(s, 2.0f);
  const Output y = ops::Neg(s, x);
  auto dx = Gradients(s, {y}, {other});
  ASSERT_TRUE(dx.ok());
  EXPECT_FALSE((*dx)[0]);
  EXPECT_TRUE((*Gradients(s, {y}, {other}, {.zeros_if_unconnected = true}))[0]);
  // Nor what only an integer goes through.
  const Output rounded =
      ops::Cast(s, ops::Cast(s, x, DataType::kInt32), DataType::kFloat);
  EXPECT_FALSE((*Gradients(s, {rounded}, {x}))[0]);
}

TEST(Gradients, StopAndGivenOnes) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 3.0f);
  const Output inner = ops::Square(s, x);
  const Output y = ops::Mul(s, inner, x);
  auto stopped = Gradients(s, {y}, {x}, {.stop_gradients = {inner}});
  auto scaled =
      Gradients(s, {y}, {x}, {.grad_ys = {Gradient(ops::Const(s, 10.0f))}});
  ASSERT_TRUE(stopped.ok() && scaled.ok());
  Session session(s);
  EXPECT_FLOAT_EQ((*session.Run({(*stopped)[0].tensor}))[0].scalar<float>(), 9);
  EXPECT_FLOAT_EQ((*session.Run({(*scaled)[0].tensor}))[0].scalar<float>(),
                  270);
  EXPECT_THAT(
      Gradients(s, {y}, {x}, {.grad_ys = {Gradient(ops::Const(s, 1.0))}})
          .status()
          .message(),
      HasSubstr("Gradient type double"));
}

TEST(Gradients, OpsWithoutGradientAreNamed) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, {1.0f, 2.0f});
  const Output y = ops::Bitcast(s.WithOpName("bits"), x, DataType::kFloat);
  const Status status = Gradients(s, {y}, {x}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("'bits' (op type: Bitcast)"));
  EXPECT_TRUE(s.ok());
}

TEST(Gradients, LookupsGiveRows) {
  const Scope s = Scope::NewRoot();
  const Output table = ops::Const(s, {{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const Output rows = ops::GatherV2(s, table, {2, 0, 2}, 0);
  const Output more = ops::GatherV2(s, table, {1}, 0);
  auto dx = Gradients(s, {ops::Mul(s, rows, 2), more}, {table});
  ASSERT_TRUE(dx.ok()) << dx.status();
  ASSERT_TRUE((*dx)[0].is_slices());
  const Output dense = ToTensor(s, (*dx)[0]);
  EXPECT_EQ(dense.shape(), (PartialShape{3, 2}));
  Session session(s);
  auto out = session.Run({(*dx)[0].slices.values, dense});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].dim(0), 4);
  EXPECT_THAT(Values((*out)[1]), testing::ElementsAre(2, 2, 1, 1, 4, 4));
}

TEST(Gradients, VariablesOfBothKinds) {
  for (const bool resource : {false, true}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(s.WithOpName("w"), {3.0f, 4.0f},
                          {.use_resource = resource});
    const Output loss = ops::L2Loss(s, ops::Mul(s, w, 2));
    auto dw = Gradients(s, {loss}, {w.handle()});
    ASSERT_TRUE(dw.ok()) << dw.status();
    Session session(s);
    ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
    auto out = session.Run({(*dw)[0].tensor});
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
  auto dx = Gradients(s, {ops::Mul(s, y, 2)}, {x});
  ASSERT_TRUE(dx.ok()) << dx.status();
  Session session(s);
  auto taken = session.Run({{pred, true}, {x, 3}}, {(*dx)[0].tensor});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_FLOAT_EQ((*taken)[0].scalar<float>(), 54);
  auto other = session.Run({{pred, false}, {x, 3}}, {(*dx)[0].tensor});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_FLOAT_EQ((*other)[0].scalar<float>(), -2);
}

TEST(Gradients, LoopsWithoutVariablesAreRefused) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 1.0f);
  const Output y = ops::Exit(s.WithOpName("out"), ops::Enter(s, x, "loop"));
  const Status status = Gradients(s, {y}, {x}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("No gradient through 'Enter'"));
}

TEST(Gradients, ADeepGraph) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 1.0f);
  Output y = x;
  for (int i = 0; i < 20'000; ++i) y = ops::Neg(s, y);
  auto dx = Gradients(s, {y}, {x});
  ASSERT_TRUE(dx.ok()) << dx.status();
  Session session(s);
  EXPECT_FLOAT_EQ((*session.Run({(*dx)[0].tensor}))[0].scalar<float>(), 1);
}

TEST(Gradients, Gated) {
  const Scope s = Scope::NewRoot();
  const Output a = ops::Const(s, 2.0f);
  const Output b = ops::Const(s, 5.0f);
  std::vector<Output> grads;
  auto dx = Gradients(s, {ops::Mul(s, a, b)}, {a, b},
                      {.colocate_with_ops = true, .gate = true});
  ASSERT_TRUE(dx.ok()) << dx.status();
  ASSERT_TRUE(
      AddSymbolicGradients(s, {ops::Mul(s, a, b)}, {a, b}, &grads).ok());
  Session session(s);
  auto out = session.Run({(*dx)[0].tensor, (*dx)[1].tensor, grads[0]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 5);
  EXPECT_FLOAT_EQ((*out)[1].scalar<float>(), 2);
  EXPECT_FLOAT_EQ((*out)[2].scalar<float>(), 5);
}

}  // namespace
}  // namespace millrace
