// Compares gradients through while loops with hand-computed values, with the
// gradients of the unrolled body, and with finite differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "millrace/client/testing/take_error.h"
#include "millrace/client/testing/written_out_loop.h"
#include "millrace/client/variables/variables.h"

namespace millrace::loop_gradients {
namespace {

void ExpectAsWrittenOut(const Case& c) {
  const Status compared = CompareWithWrittenOut(c);
  EXPECT_TRUE(compared.ok()) << compared;
}

using testing::HasSubstr;

TEST(LoopGradients, OfAPower) {
  const Scope s = Scope::NewRoot();
  const Output n = ops::Placeholder(s, DataType::kInt32);
  const Output x = ops::Const(s, 5.0f);
  const Output w = ops::Const(s, 2.0f);
  const Outputs last = ops::WhileLoop(
      s, {0, x},
      [&](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], n); },
      [&](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1), ops::Mul(b, v[1], w)};
      });
  auto dx = ops::Gradients(s, {last[1]}, {x, w});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(dx[1].tensor.shape(), PartialShape({}));
  Session session(s);
  for (const int count : {0, 1, 3, 25}) {
    auto out = session.Run({{n, count}}, {last[1], dx[0].tensor, dx[1].tensor});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 5 * std::exp2(count));
    EXPECT_FLOAT_EQ((*out)[1].scalar<float>(), std::exp2(count));
    EXPECT_FLOAT_EQ((*out)[2].scalar<float>(),
                    count == 0 ? 0 : 5 * count * std::exp2(count - 1));
  }
}

TEST(LoopGradients, OfVectors) {
  for (const int parallel : {1, 2, 10}) {
    ExpectAsWrittenOut(
        {.begin = {{0.1f, 0.7f, -0.3f}},
         .parameters = {{{0.5f, 0.2f, -1.f},
                         {0.3f, 1.f, 0.4f},
                         {1.f, 0.f, 2.f}},
                        {0.1f, 0.2f, 0.3f}},
         .step =
             [](const Scope& s, const Output& i, const Outputs& v,
                const Outputs& w) {
               const Output row = ops::ExpandDims(s, v[0], 0);
               const Output product =
                   ops::Reshape(s, ops::MatMul(s, row, w[0]), {3});
               const Output scaled =
                   ops::Mul(s, w[1], ops::Cast(s, i, DataType::kFloat));
               return Outputs{ops::Tanh(s, ops::AddV2(s, product, scaled))};
             },
         .parallel = parallel});
  }
}

TEST(LoopGradients, OfVariablesThatChangePlaces) {
  ExpectAsWrittenOut({.begin = {0.5f, 1.5f, {2.0f, 3.0f}},
                      .parameters = {0.9f},
                      .step = [](const Scope& s, const Output&,
                                 const Outputs& v, const Outputs& w) {
                        return Outputs{ops::Mul(s, v[1], w[0]),
                                       ops::Sin(s, v[0]),
                                       ops::Mul(s, v[2], v[0])};
                      }});
}

TEST(LoopGradients, OfWhatDoesNotGoOn) {
  // The first variable is reset in each iteration, the second is unchanged.
  ExpectAsWrittenOut({.begin = {0.5f, 1.5f},
                      .parameters = {0.9f, 1.1f},
                      .step = [](const Scope& s, const Output&,
                                 const Outputs& v, const Outputs& w) {
                        return Outputs{ops::Mul(s, w[0], v[1]), v[1]};
                      }});
  // Or is a value from outside.
  ExpectAsWrittenOut({.begin = {0.5f, 1.5f},
                      .parameters = {0.9f},
                      .step = [](const Scope& s, const Output&,
                                 const Outputs& v, const Outputs& w) {
                        return Outputs{w[0], ops::Mul(s, v[0], v[1])};
                      }});
}

TEST(LoopGradients, OfAConditionalInALoop) {
  for (const int parallel : {1, 10}) {
    ExpectAsWrittenOut(
        {.begin = {0.4f, {0.3f, -0.2f}},
         .parameters = {1.3f},
         .step =
             [](const Scope& s, const Output& i, const Outputs& v,
                const Outputs& w) {
               const Output odd = ops::Equal(s, ops::FloorMod(s, i, 2), 1);
               const auto x = ops::Switch(s, v[0], odd);
               const auto y = ops::Switch(s, v[1], odd);
               const auto p = ops::Switch(s, w[0], odd);
               const Output yes =
                   ops::Sin(s, ops::Mul(s, x.output_true, p.output_true));
               const Output no =
                   ops::Mul(s, x.output_false, ops::Exp(s, x.output_false));
               const Output z = ops::Merge(s, {no, yes}).output;
               const Output u =
                   ops::Merge(s, {ops::Square(s, y.output_false),
                                  ops::Mul(s, y.output_true, 0.5f)})
                       .output;
               return Outputs{z, ops::AddV2(s, u, z)};
             },
         .iterations = 7,
         .parallel = parallel});
  }
}

TEST(LoopGradients, OfConditionalsInConditionals) {
  ExpectAsWrittenOut(
      {.begin = {0.4f},
       .parameters = {1.3f},
       .step =
           [](const Scope& s, const Output& i, const Outputs& v,
              const Outputs& w) {
             const Output odd = ops::Equal(s, ops::FloorMod(s, i, 2), 1);
             const Output third = ops::Equal(s, ops::FloorMod(s, i, 3), 1);
             const auto x = ops::Switch(s, ops::Mul(s, v[0], w[0]), odd);
             const auto inner = ops::Switch(s, third, odd);
             const auto xx = ops::Switch(s, x.output_true, inner.output_true);
             const Output merged = ops::Merge(s, {ops::Exp(s, xx.output_false),
                                                  ops::Cos(s, xx.output_true)})
                                       .output;
             return Outputs{
                 ops::Merge(s, {ops::Sigmoid(s, x.output_false), merged})
                     .output};
           },
       .iterations = 9});
}

// The branch is chosen outside of the loop.
TEST(LoopGradients, OfAConditionThatDoesNotChange) {
  for (const bool chosen : {false, true}) {
    ExpectAsWrittenOut(
        {.begin = {0.4f},
         .parameters = {1.3f, 2.0f},
         .step =
             [chosen](const Scope& s, const Output&, const Outputs& v,
                      const Outputs& w) {
               const Output pred = ops::Less(s, w[1], chosen ? 3.0f : 1.0f);
               const auto x = ops::Switch(s, v[0], pred);
               return Outputs{
                   ops::Merge(s, {ops::Square(s, x.output_false),
                                  ops::Sin(s, ops::Square(s, x.output_true))})
                       .output};
             },
         .iterations = 4});
  }
}

TEST(LoopGradients, OfRows) {
  ExpectAsWrittenOut({.begin = {{1.0f, 1.0f}},
                      .parameters = {{{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}},
                      .step = [](const Scope& s, const Output& i,
                                 const Outputs& v, const Outputs& w) {
                        const Output row =
                            ops::GatherV2(s, w[0], ops::FloorMod(s, i, 3), 0);
                        return Outputs{ops::Mul(s, v[0], ops::Sin(s, row))};
                      }});
}

TEST(LoopGradients, AgainstDifferences) {
  const Scope s = Scope::NewRoot();
  const Output x =
      ops::Placeholder(s, DataType::kDouble, {.shape = PartialShape({2})});
  const Output w =
      ops::Placeholder(s, DataType::kDouble, {.shape = PartialShape({})});
  // The values themselves determine the number of iterations.
  const Outputs last = ops::WhileLoop(
      s, {x, 0.0},
      [](const Scope& c, const Outputs& v) {
        return ops::Less(c, ops::Sum(c, v[0], {0}), 50.0);
      },
      [&](const Scope& b, const Outputs& v) {
        const Output next = ops::Mul(b, v[0], ops::Exp(b, w));
        return Outputs{next, ops::AddV2(b, v[1], ops::Prod(b, next, {0}))};
      });
  const Output y =
      ops::AddV2(s, last[1], ops::Sum(s, ops::Sqrt(s, last[0]), {0}));
  auto dx = ops::Gradients(s, {y}, {x, w});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  const auto value = [&](double x0, double x1, double w0) {
    auto out = session.Run({{x, {x0, x1}}, {w, w0}}, {y});
    EXPECT_TRUE(out.ok()) << out.status();
    return (*out)[0].scalar<double>();
  };
  auto out =
      session.Run({{x, {1.1, 0.7}}, {w, 0.4}}, {dx[0].tensor, dx[1].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  const double h = 1e-6;
  const auto dxs = (*out)[0].flat<double>();
  const auto near = [](double got, double want) {
    EXPECT_NEAR(got, want, 1e-5 * std::abs(want));
  };
  near(dxs[0], (value(1.1 + h, 0.7, 0.4) - value(1.1 - h, 0.7, 0.4)) / (2 * h));
  near(dxs[1], (value(1.1, 0.7 + h, 0.4) - value(1.1, 0.7 - h, 0.4)) / (2 * h));
  near((*out)[1].scalar<double>(),
       (value(1.1, 0.7, 0.4 + h) - value(1.1, 0.7, 0.4 - h)) / (2 * h));
}

TEST(LoopGradients, WithShapesThatVary) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, {2.0f});
  const Outputs last = ops::WhileLoop(
      s, {0, x},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 3); },
      [](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1),
                       ops::ConcatV2(b, {v[1], ops::Square(b, v[1])}, 0)};
      },
      {.shape_invariants = {PartialShape({}), PartialShape({kUnknownDim})}});
  auto dx = ops::Gradients(s, {last[1]}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto out = session.Run({dx[0].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  // x + 3 x^2 + 3 x^4 + x^8
  EXPECT_THAT(Values((*out)[0]),
              testing::ElementsAre(1 + 6 * 2 + 12 * 8 + 8 * 128));
}

TEST(LoopGradients, OfAGraphThatASessionHasRun) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 3.0f);
  const Outputs last = ops::WhileLoop(
      s, {0, x},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 2); },
      [](const Scope& b, const Outputs& v) {
        return Outputs{ops::AddV2(b, v[0], 1), ops::Square(b, v[1])};
      });
  Session session(s);
  ASSERT_TRUE(session.Run({last[1]}).ok());
  auto dx = ops::Gradients(s, {last[1]}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  auto out = session.Run({last[1], dx[0].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 81);
  EXPECT_FLOAT_EQ((*out)[1].scalar<float>(), 4 * 27);
}

TEST(LoopGradients, Refused) {
  const Scope s = Scope::NewRoot();
  const Output x = ops::Const(s, 3.0f);
  Output inside;
  const Outputs last = ops::WhileLoop(
      s, {0, x},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 2); },
      [&](const Scope& b, const Outputs& v) {
        inside = ops::Square(b, v[1]);
        return Outputs{ops::AddV2(b, v[0], 1), inside};
      });
  auto first = ops::Gradients(s, {last[1]}, {x});
  ASSERT_TRUE(s.ok()) << s.status();
  const Status second = TakeError(s, ops::Gradients(s, {first[0].tensor}, {x}));
  EXPECT_EQ(second.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(second.message(), HasSubstr("Second-order gradient for while"));
  const Status within = TakeError(s, ops::Gradients(s, {inside}, {x}));
  EXPECT_EQ(within.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(within.message(), HasSubstr("are built in its body"));
  EXPECT_THAT(TakeError(s, ops::Gradients(s, {last[1]}, {inside})).message(),
              HasSubstr("is inside of loop 'while/while_context'"));
  EXPECT_TRUE(s.ok());
}

}  // namespace
}  // namespace millrace::loop_gradients
