// Tests gradients of loops in conditionals, in loops and over several devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "millrace/client/testing/written_out_loop.h"

namespace millrace::loop_gradients {
namespace {

void ExpectNested(const Case& c) {
  const Status compared = CompareWithWrittenOut(c);
  EXPECT_TRUE(compared.ok()) << compared;
}

Outputs InnerLoop(const Scope& s, const Output& begin, const Output& w,
                  const Output& times) {
  return ops::WhileLoop(
      s, {0, begin},
      [&](const Scope& c, const Outputs& u) {
        return ops::LessEqual(c, u[0], times);
      },
      [&](const Scope& b, const Outputs& u) {
        return Outputs{ops::AddV2(b, u[0], 1),
                       ops::Sin(b, ops::Mul(b, u[1], w))};
      });
}

TEST(NestedLoopGradients, OfNestedLoops) {
  for (const int parallel : {1, 10}) {
    ExpectNested({.begin = {{0.4f, 0.9f}},
                  .parameters = {1.3f, {0.5f, 0.6f}},
                  .step =
                      [](const Scope& s, const Output& i, const Outputs& v,
                         const Outputs& w) {
                        const Output scaled = ops::Mul(s, v[0], w[1]);
                        const Output inner = InnerLoop(s, scaled, w[0], i)[1];
                        return Outputs{
                            ops::Mul(s, ops::AddV2(s, inner, v[0]), scaled)};
                      },
                  .iterations = 4,
                  .parallel = parallel});
  }
}

TEST(NestedLoopGradients, OfALoopInAConditionalInALoop) {
  ExpectNested(
      {.begin = {0.4f},
       .parameters = {1.3f},
       .step =
           [](const Scope& s, const Output& i, const Outputs& v,
              const Outputs& w) {
             const Output odd = ops::Equal(s, ops::FloorMod(s, i, 2), 1);
             const auto x = ops::Switch(s, v[0], odd);
             const auto p = ops::Switch(s, w[0], odd);
             const auto times = ops::Switch(s, i, odd);
             const Output looped = InnerLoop(s, x.output_true, p.output_true,
                                             times.output_true)[1];
             return Outputs{
                 ops::Merge(s, {ops::Exp(s, x.output_false), looped}).output};
           },
       .iterations = 5});
}

TEST(NestedLoopGradients, OfALoopInAConditional) {
  const Scope s = Scope::NewRoot();
  const Output pred = ops::Placeholder(s, DataType::kBool);
  const Output x = ops::Const(s, 2.0f);
  const auto branch = ops::Switch(s, x, pred);
  const Outputs looped = ops::WhileLoop(
      s, {branch.output_true},
      [](const Scope& c, const Outputs& v) {
        return ops::Less(c, v[0], 100.0f);
      },
      [](const Scope& b, const Outputs& v) {
        return Outputs{ops::Square(b, v[0])};
      });
  const Output y =
      ops::Merge(s, {ops::Neg(s, branch.output_false), looped[0]}).output;
  auto dx = ops::Gradients(s, {y}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto taken = session.Run({{pred, true}}, {y, dx[0].tensor});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_FLOAT_EQ((*taken)[0].scalar<float>(), 256);  // x^8
  EXPECT_FLOAT_EQ((*taken)[1].scalar<float>(), 8 * 128);
  auto other = session.Run({{pred, false}}, {dx[0].tensor});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_FLOAT_EQ((*other)[0].scalar<float>(), -1);
}

TEST(NestedLoopGradients, OverThreeDevices) {
  for (const bool colocate : {false, true}) {
    for (int run = 0; run < 3; ++run) {
      ExpectNested({.begin = {{0.4f, 0.5f}, 0.3f},
                    .parameters = {1.3f},
                    .step =
                        [](const Scope& s, const Output& i, const Outputs& v,
                           const Outputs& w) {
                          const Scope one = s.WithDevice("/cpu:1");
                          const Scope two = s.WithDevice("/cpu:2");
                          const Output odd =
                              ops::Equal(two, ops::FloorMod(two, i, 2), 1);
                          const auto x = ops::Switch(one, v[0], odd);
                          const Output merged =
                              ops::Merge(one, {ops::Sin(one, x.output_false),
                                               ops::Exp(two, x.output_true)})
                                  .output;
                          const Output inner = InnerLoop(
                              one, ops::Mul(two, merged, v[1]), w[0], i)[1];
                          return Outputs{ops::Tanh(two, inner),
                                         ops::Mul(one, v[1], w[0])};
                        },
                    .iterations = 4,
                    .options = {.colocate_with_ops = colocate}});
    }
  }
}

TEST(NestedLoopGradients, InTheBodyOfALoop) {
  // Ten steps of gradient descent on (x - 3)^2 + w.
  const Scope s = Scope::NewRoot();
  const Output goal = ops::Const(s, 3.0f);
  const Outputs last = ops::WhileLoop(
      s, {0, 0.0f},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 10); },
      [&](const Scope& b, const Outputs& v) {
        const Output loss = ops::Square(b, ops::Sub(b, v[1], goal));
        auto dx = ops::Gradients(b, {loss}, {v[1]});
        EXPECT_TRUE(b.ok()) << b.status();
        return Outputs{ops::AddV2(b, v[0], 1),
                       ops::Sub(b, v[1], ops::Mul(b, dx[0].tensor, 0.25f))};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto out = session.Run({last[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 3 - 3 * std::exp2(-10.0f));
}

TEST(NestedLoopGradients, OfALoopInTheBodyOfALoop) {
  const Scope s = Scope::NewRoot();
  const Outputs last = ops::WhileLoop(
      s, {0, 1.0f, 0.0f},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 3); },
      [&](const Scope& b, const Outputs& v) {
        const Output cubed = ops::WhileLoop(
            b, {0, 1.0f},
            [](const Scope& c, const Outputs& u) {
              return ops::Less(c, u[0], 3);
            },
            [&](const Scope& bb, const Outputs& u) {
              return Outputs{ops::AddV2(bb, u[0], 1), ops::Mul(bb, u[1], v[1])};
            })[1];
        auto dx = ops::Gradients(b, {cubed}, {v[1]});
        EXPECT_TRUE(b.ok()) << b.status();
        return Outputs{ops::AddV2(b, v[0], 1), ops::AddV2(b, v[1], 1.0f),
                       ops::AddV2(b, v[2], dx[0].tensor)};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto out = session.Run({last[2]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 3 * (1 + 4 + 9));
}

}  // namespace
}  // namespace millrace::loop_gradients
