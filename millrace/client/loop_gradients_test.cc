// Gradients through while loops, against hand-computed values, the gradients of
// the body written out as often as it runs, and differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "millrace/client/gradients.h"
#include "millrace/client/session.h"
#include "millrace/client/variables.h"
#include "millrace/client/while_loop.h"

namespace millrace {
namespace {

using testing::HasSubstr;
using Outputs = std::vector<Output>;

std::vector<double> Values(const Tensor& t) {
  std::vector<double> values;
  if (t.dtype() == DataType::kDouble) {
    for (double v : t.flat<double>()) values.push_back(v);
  } else {
    for (float v : t.flat<float>()) values.push_back(v);
  }
  return values;
}

SessionOptions Devices(int count) {
  SessionOptions options;
  options.config.device_count["CPU"] = count;
  return options;
}

Output Loss(const Scope& s, const Outputs& state) {
  Output loss;
  for (const Output& value : state) {
    const Output part =
        ops::Sum(s, ops::Reshape(s, ops::Square(s, value), {-1}), {0});
    loss = loss ? ops::AddV2(s, loss, part) : part;
  }
  return loss;
}

struct Case {
  std::vector<Literal> begin;
  std::vector<Literal> parameters;
  std::function<Outputs(const Scope& s, const Output& i, const Outputs& state,
                        const Outputs& parameters)>
      step;
  int iterations = 5;
  int parallel = 10;
  GradientOptions options = {};
};

// Gradients for the begin and the parameters, of a loop and without one.
void ExpectAsWrittenOut(const Case& c) {
  const Scope s = Scope::NewRoot();
  Outputs begin, parameters;
  for (const Literal& value : c.begin)
    begin.push_back(ops::Const(s.WithOpName("begin"), value));
  for (const Literal& value : c.parameters)
    parameters.push_back(ops::Const(s.WithOpName("w"), value));
  Outputs variables = begin;
  variables.push_back(ops::Const(s, 0));
  const Outputs last = ops::WhileLoop(
      s, variables,
      [&](const Scope& b, const Outputs& v) {
        return ops::Less(b, v.back(), c.iterations);
      },
      [&](const Scope& b, const Outputs& v) {
        const Output i = v.back();
        Outputs next =
            c.step(b, i, Outputs(v.begin(), v.end() - 1), parameters);
        next.push_back(ops::AddV2(b, i, 1));
        return next;
      },
      {.parallel_iterations = c.parallel});
  ASSERT_TRUE(s.ok()) << s.status();
  Outputs written_out = begin;
  for (int i = 0; i < c.iterations; ++i)
    written_out = c.step(s, ops::Const(s, i), written_out, parameters);
  Outputs xs = begin;
  xs.insert(xs.end(), parameters.begin(), parameters.end());
  const Outputs loop_state(last.begin(), last.end() - 1);
  auto loop = Gradients(s, {Loss(s, loop_state)}, xs, c.options);
  ASSERT_TRUE(loop.ok()) << loop.status();
  auto plain = Gradients(s, {Loss(s, written_out)}, xs, c.options);
  ASSERT_TRUE(plain.ok()) << plain.status();
  Session session(s, Devices(3));
  for (size_t i = 0; i < xs.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("x ", i));
    const Output ours = ToTensor(s, (*loop)[i]);
    const Output expected = ToTensor(s, (*plain)[i]);
    // The loop cannot tell that a gradient is nothing.
    if (!expected) continue;
    ASSERT_TRUE(ours);
    EXPECT_EQ((*loop)[i].is_slices(), (*plain)[i].is_slices());
    auto out = session.Run({ours, expected});
    ASSERT_TRUE(out.ok()) << out.status();
    const std::vector<double> got = Values((*out)[0]);
    const std::vector<double> want = Values((*out)[1]);
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < got.size(); ++k) {
      EXPECT_NEAR(got[k], want[k], 1e-5 * (1 + std::abs(want[k])));
    }
  }
}

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
  auto dx = Gradients(s, {last[1]}, {x, w});
  ASSERT_TRUE(dx.ok()) << dx.status();
  EXPECT_EQ((*dx)[1].tensor.shape(), PartialShape({}));
  Session session(s);
  for (const int count : {0, 1, 3, 25}) {
    auto out =
        session.Run({{n, count}}, {last[1], (*dx)[0].tensor, (*dx)[1].tensor});
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
  // The first variable begins anew in each iteration, the second stays.
  ExpectAsWrittenOut({.begin = {0.5f, 1.5f},
                      .parameters = {0.9f, 1.1f},
                      .step = [](const Scope& s, const Output&,
                                 const Outputs& v, const Outputs& w) {
                        return Outputs{ops::Mul(s, w[0], v[1]), v[1]};
                      }});
  // Or is what comes from outside.
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

TEST(LoopGradients, OfNestedLoops) {
  for (const int parallel : {1, 10}) {
    ExpectAsWrittenOut(
        {.begin = {{0.4f, 0.9f}},
         .parameters = {1.3f, {0.5f, 0.6f}},
         .step =
             [](const Scope& s, const Output& i, const Outputs& v,
                const Outputs& w) {
               const Output scaled = ops::Mul(s, v[0], w[1]);
               const Output inner = InnerLoop(s, scaled, w[0], i)[1];
               return Outputs{ops::Mul(s, ops::AddV2(s, inner, v[0]), scaled)};
             },
         .iterations = 4,
         .parallel = parallel});
  }
}

TEST(LoopGradients, OfALoopInAConditionalInALoop) {
  ExpectAsWrittenOut(
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

TEST(LoopGradients, OfALoopInAConditional) {
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
  auto dx = Gradients(s, {y}, {x});
  ASSERT_TRUE(dx.ok()) << dx.status();
  Session session(s);
  auto taken = session.Run({{pred, true}}, {y, (*dx)[0].tensor});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_FLOAT_EQ((*taken)[0].scalar<float>(), 256);  // x^8
  EXPECT_FLOAT_EQ((*taken)[1].scalar<float>(), 8 * 128);
  auto other = session.Run({{pred, false}}, {(*dx)[0].tensor});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_FLOAT_EQ((*other)[0].scalar<float>(), -1);
}

TEST(LoopGradients, OverThreeDevices) {
  for (const bool colocate : {false, true}) {
    for (int run = 0; run < 3; ++run) {
      ExpectAsWrittenOut(
          {.begin = {{0.4f, 0.5f}, 0.3f},
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
                 const Output inner =
                     InnerLoop(one, ops::Mul(two, merged, v[1]), w[0], i)[1];
                 return Outputs{ops::Tanh(two, inner),
                                ops::Mul(one, v[1], w[0])};
               },
           .iterations = 4,
           .options = {.colocate_with_ops = colocate}});
    }
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
  // As many iterations as the values themselves say.
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
  auto dx = Gradients(s, {y}, {x, w});
  ASSERT_TRUE(dx.ok()) << dx.status();
  Session session(s);
  const auto value = [&](double x0, double x1, double w0) {
    auto out = session.Run({{x, {x0, x1}}, {w, w0}}, {y});
    EXPECT_TRUE(out.ok()) << out.status();
    return (*out)[0].scalar<double>();
  };
  auto out = session.Run({{x, {1.1, 0.7}}, {w, 0.4}},
                         {(*dx)[0].tensor, (*dx)[1].tensor});
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

// Rows are read from an array and results written to another one, as by
// recurrent networks.
TEST(LoopGradients, OfArrays) {
  for (const int parallel : {1, 10}) {
    const Scope s = Scope::NewRoot();
    const Output x = ops::Const(s, {{0.1f, 0.4f}, {0.3f, -0.2f}, {0.9f, 1.f}});
    const Output w = ops::Const(s, 0.7f);
    const Output all = ops::Const(s, {0, 1, 2});
    const auto step = [&](const Scope& b, const Output& row,
                          const Output& state) {
      return ops::Tanh(b, ops::AddV2(b, ops::Mul(b, state, w), row));
    };
    const auto in = ops::TensorArrayV3(s, 3, DataType::kFloat);
    const Output filled =
        ops::TensorArrayScatterV3(s, in.handle, all, x, in.flow);
    const auto out =
        ops::TensorArrayV3(s, 0, DataType::kFloat, {.dynamic_size = true});
    const Outputs last = ops::WhileLoop(
        s, {0, ops::Const(s, {0.5f, 0.6f}), out.flow},
        [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 3); },
        [&](const Scope& b, const Outputs& v) {
          const Output row = ops::TensorArrayReadV3(b, in.handle, v[0], filled,
                                                    DataType::kFloat);
          EXPECT_TRUE(row.SetShape(PartialShape({2})).ok());
          const Output state = step(b, row, v[1]);
          const Output squared = ops::Square(b, state);
          return Outputs{
              ops::AddV2(b, v[0], 1), state,
              ops::TensorArrayWriteV3(b, out.handle, v[0], squared, v[2])};
        },
        {.parallel_iterations = parallel});
    const Output gathered =
        ops::TensorArrayGatherV3(s, out.handle, all, last[2], DataType::kFloat);
    Output state = ops::Const(s, {0.5f, 0.6f});
    Outputs rows;
    for (const Output& row : ops::Unpack(s, x, 3)) {
      state = step(s, row, state);
      rows.push_back(ops::Square(s, state));
    }
    auto loop = Gradients(s, {Loss(s, {gathered, last[1]})}, {x, w});
    ASSERT_TRUE(loop.ok()) << loop.status();
    auto plain = Gradients(s, {Loss(s, {ops::Pack(s, rows), state})}, {x, w});
    ASSERT_TRUE(plain.ok()) << plain.status();
    Session session(s);
    for (const size_t i : {0, 1}) {
      auto values = session.Run({(*loop)[i].tensor, (*plain)[i].tensor});
      ASSERT_TRUE(values.ok()) << values.status();
      EXPECT_THAT(
          Values((*values)[0]),
          testing::Pointwise(testing::DoubleNear(1e-5), Values((*values)[1])));
    }
  }
}

TEST(LoopGradients, OfVariables) {
  for (const bool resource : {false, true}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(s.WithOpName("w"), {2.0f, 3.0f},
                          {.use_resource = resource});
    const Outputs last = ops::WhileLoop(
        s, {0, ops::Const(s, {1.0f, 1.0f})},
        [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 3); },
        [&](const Scope& b, const Outputs& v) {
          return Outputs{ops::AddV2(b, v[0], 1), ops::Mul(b, v[1], w.Read(b))};
        });
    auto dw = Gradients(s, {last[1]}, {w.handle()});
    ASSERT_TRUE(dw.ok()) << dw.status();
    ASSERT_TRUE((*dw)[0]);
    Session session(s);
    ASSERT_TRUE(session.RunTargets({w.initializer()}).ok());
    auto out = session.Run({(*dw)[0].tensor});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(Values((*out)[0]), testing::ElementsAre(12, 27));
  }
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
  auto dx = Gradients(s, {last[1]}, {x});
  ASSERT_TRUE(dx.ok()) << dx.status();
  Session session(s);
  auto out = session.Run({(*dx)[0].tensor});
  ASSERT_TRUE(out.ok()) << out.status();
  // x + 3 x^2 + 3 x^4 + x^8
  EXPECT_THAT(Values((*out)[0]),
              testing::ElementsAre(1 + 6 * 2 + 12 * 8 + 8 * 128));
}

TEST(LoopGradients, InTheBodyOfALoop) {
  // Ten steps of descent on (x - 3)^2 + w.
  const Scope s = Scope::NewRoot();
  const Output goal = ops::Const(s, 3.0f);
  const Outputs last = ops::WhileLoop(
      s, {0, 0.0f},
      [](const Scope& c, const Outputs& v) { return ops::Less(c, v[0], 10); },
      [&](const Scope& b, const Outputs& v) {
        const Output loss = ops::Square(b, ops::Sub(b, v[1], goal));
        auto dx = Gradients(b, {loss}, {v[1]});
        EXPECT_TRUE(dx.ok()) << dx.status();
        return Outputs{ops::AddV2(b, v[0], 1),
                       ops::Sub(b, v[1], ops::Mul(b, (*dx)[0].tensor, 0.25f))};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto out = session.Run({last[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 3 - 3 * std::exp2(-10.0f));
}

TEST(LoopGradients, OfALoopInTheBodyOfALoop) {
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
        auto dx = Gradients(b, {cubed}, {v[1]});
        EXPECT_TRUE(dx.ok()) << dx.status();
        return Outputs{ops::AddV2(b, v[0], 1), ops::AddV2(b, v[1], 1.0f),
                       ops::AddV2(b, v[2], (*dx)[0].tensor)};
      });
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  auto out = session.Run({last[2]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ((*out)[0].scalar<float>(), 3 * (1 + 4 + 9));
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
  auto dx = Gradients(s, {last[1]}, {x});
  ASSERT_TRUE(dx.ok()) << dx.status();
  auto out = session.Run({last[1], (*dx)[0].tensor});
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
  auto first = Gradients(s, {last[1]}, {x});
  ASSERT_TRUE(first.ok()) << first.status();
  const Status second = Gradients(s, {(*first)[0].tensor}, {x}).status();
  EXPECT_EQ(second.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(second.message(), HasSubstr("Second-order gradient for while"));
  const Status within = Gradients(s, {inside}, {x}).status();
  EXPECT_EQ(within.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(within.message(), HasSubstr("are built in its body"));
  EXPECT_THAT(Gradients(s, {last[1]}, {inside}).status().message(),
              HasSubstr("is inside of loop 'while/while_context'"));
  EXPECT_TRUE(s.ok());
}

}  // namespace
}  // namespace millrace
