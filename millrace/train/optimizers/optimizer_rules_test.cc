// Tests every rule against the same rule in plain numbers: both kinds of
// variables, dense and sparse gradients, several steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "millrace/client/op_builder.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/train/global_step.h"
#include "millrace/train/optimizers/adadelta.h"
#include "millrace/train/optimizers/adagrad.h"
#include "millrace/train/optimizers/adagrad_da.h"
#include "millrace/train/optimizers/ftrl.h"
#include "millrace/train/optimizers/proximal_adagrad.h"
#include "millrace/train/optimizers/proximal_gradient_descent.h"
#include "millrace/train/optimizers/rms_prop.h"

namespace millrace::train {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr int kRows = 3;
constexpr int kColumns = 2;
constexpr double kRate = 0.25;
constexpr double kL1 = 0.1;
constexpr double kL2 = 0.3;

// An element of the variable and the optimizer's state for it.
struct Number {
  double w = 0;
  double a = 0;
  double b = 0;
  double c = 0;
};

struct Rule {
  const char* name;
  std::function<std::unique_ptr<Optimizer>(const ops::Variable& step)> make;
  Number start;                                               // except w
  std::function<void(Number& x, double g, int step)> update;  // step from 1
  std::vector<std::string> variables;
  std::vector<std::string> slots;
};

double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double Shrunk(double x, double rate) {
  return Sign(x) * std::max(std::abs(x) - rate * kL1, 0.0) / (1 + rate * kL2);
}

void FtrlUpdate(Number& x, double g, double shrinkage) {
  const double shrunk = g + 2 * shrinkage * x.w;
  const double a = x.a + g * g;
  x.b += shrunk - (std::sqrt(a) - std::sqrt(x.a)) / kRate * x.w;
  x.a = a;
  x.w = (std::clamp(x.b, -kL1, kL1) - x.b) / (std::sqrt(a) / kRate + 2 * kL2);
}

std::vector<Rule> Rules() {
  return {
      {.name = "Adagrad",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<AdagradOptimizer>(kRate);
           },
       .start = {.a = 0.1},
       .update =
           [](Number& x, double g, int) {
             x.a += g * g;
             x.w -= kRate * g / std::sqrt(x.a);
           },
       .variables = {"w/Adagrad"},
       .slots = {"accumulator"}},
      {.name = "AdagradDA",
       .make =
           [](const ops::Variable& step) {
             return std::make_unique<AdagradDAOptimizer>(
                 kRate, step,
                 AdagradDAOptimizerOptions{.l1_regularization_strength = kL1,
                                           .l2_regularization_strength = kL2});
           },
       .start = {.a = 0, .b = 0.1},
       .update =
           [](Number& x, double g, int step) {
             x.a += g;
             x.b += g * g;
             const double t =
                 Sign(x.a) * std::max(std::abs(x.a) - kL1 * step, 0.0);
             x.w = -kRate * t / (kL2 * step * kRate + std::sqrt(x.b));
           },
       .variables = {"w/AdagradDA", "w/AdagradDA_1"},
       .slots = {"gradient_accumulator", "gradient_squared_accumulator"}},
      {.name = "Adadelta",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<AdadeltaOptimizer>(
                 kRate, AdadeltaOptimizerOptions{.rho = 0.8, .epsilon = 0.01});
           },
       .start = {},
       .update =
           [](Number& x, double g, int) {
             x.a = 0.8 * x.a + 0.2 * g * g;
             const double u = std::sqrt(x.b + 0.01) / std::sqrt(x.a + 0.01) * g;
             x.b = 0.8 * x.b + 0.2 * u * u;
             x.w -= kRate * u;
           },
       .variables = {"w/Adadelta", "w/Adadelta_1"},
       .slots = {"accum", "accum_update"}},
      {.name = "RMSProp",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<RMSPropOptimizer>(
                 kRate, RMSPropOptimizerOptions{
                            .decay = 0.8, .momentum = 0.5, .epsilon = 0.01});
           },
       .start = {.a = 1},
       .update =
           [](Number& x, double g, int) {
             x.a += (g * g - x.a) * 0.2;
             x.b = 0.5 * x.b + kRate * g / std::sqrt(x.a + 0.01);
             x.w -= x.b;
           },
       .variables = {"w/RMSProp", "w/RMSProp_1"},
       .slots = {"rms", "momentum"}},
      {.name = "CenteredRMSProp",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<RMSPropOptimizer>(
                 kRate, RMSPropOptimizerOptions{.decay = 0.8,
                                                .momentum = 0.5,
                                                .epsilon = 0.01,
                                                .centered = true});
           },
       .start = {.a = 1},
       .update =
           [](Number& x, double g, int) {
             x.a += (g * g - x.a) * 0.2;
             x.c += (g - x.c) * 0.2;
             x.b = 0.5 * x.b + kRate * g / std::sqrt(x.a - x.c * x.c + 0.01);
             x.w -= x.b;
           },
       .variables = {"w/RMSProp", "w/RMSProp_1", "w/RMSProp_2"},
       .slots = {"rms", "mg", "momentum"}},
      {.name = "Ftrl",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<FtrlOptimizer>(
                 kRate,
                 FtrlOptimizerOptions{.l1_regularization_strength = kL1,
                                      .l2_regularization_strength = kL2});
           },
       .start = {.a = 0.1},
       .update = [](Number& x, double g, int) { FtrlUpdate(x, g, 0); },
       .variables = {"w/Ftrl", "w/Ftrl_1"},
       .slots = {"accum", "linear"}},
      {.name = "FtrlWithShrinkage",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<FtrlOptimizer>(
                 kRate, FtrlOptimizerOptions{
                            .l1_regularization_strength = kL1,
                            .l2_regularization_strength = kL2,
                            .l2_shrinkage_regularization_strength = 0.2,
                            .accum_name = "sum"});
           },
       .start = {.a = 0.1},
       .update = [](Number& x, double g, int) { FtrlUpdate(x, g, 0.2); },
       .variables = {"w/sum", "w/Ftrl"},
       .slots = {"accum", "linear"}},
      {.name = "ProximalAdagrad",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<ProximalAdagradOptimizer>(
                 kRate, ProximalAdagradOptimizerOptions{
                            .l1_regularization_strength = kL1,
                            .l2_regularization_strength = kL2});
           },
       .start = {.a = 0.1},
       .update =
           [](Number& x, double g, int) {
             x.a += g * g;
             const double rate = kRate / std::sqrt(x.a);
             x.w = Shrunk(x.w - rate * g, rate);
           },
       .variables = {"w/ProximalAdagrad"},
       .slots = {"accumulator"}},
      {.name = "ProximalGradientDescent",
       .make =
           [](const ops::Variable&) {
             return std::make_unique<ProximalGradientDescentOptimizer>(
                 kRate, ProximalGradientDescentOptimizerOptions{
                            .l1_regularization_strength = kL1,
                            .l2_regularization_strength = kL2});
           },
       .start = {},
       .update = [](Number& x, double g,
                    int) { x.w = Shrunk(x.w - kRate * g, kRate); },
       .variables = {},
       .slots = {}},
  };
}

struct RulesParam {
  int rule;
  bool use_resource;
  bool rows;
  DataType type;
};

std::vector<RulesParam> AllParams() {
  std::vector<RulesParam> params;
  for (int rule = 0; rule < static_cast<int>(Rules().size()); ++rule) {
    for (int bits = 0; bits < 8; ++bits) {
      params.push_back({rule, (bits & 1) != 0, (bits & 2) != 0,
                        bits & 4 ? DataType::kDouble : DataType::kFloat});
    }
  }
  return params;
}

class OptimizerRules : public testing::TestWithParam<RulesParam> {};

TEST_P(OptimizerRules, AsInPlainNumbers) {
  const RulesParam& param = GetParam();
  const Rule rule = Rules()[static_cast<size_t>(param.rule)];
  constexpr int kSteps = 4;
  const std::vector<double> start = {3, -2, 0.5, 1, -0.25, 0};
  std::vector<Number> expected(start.size(), rule.start);
  for (size_t i = 0; i < start.size(); ++i) expected[i].w = start[i];

  const Scope s = Scope::NewRoot();
  const ops::Variable step = CreateGlobalStep(s);
  const ops::Variable w(
      s.WithOpName("w"),
      ops::Cast(s, ops::Reshape(s, ops::Const(s, start), {kRows, kColumns}),
                param.type),
      {.use_resource = param.use_resource});
  // The gradient of half the sum of squares is w itself; row 2 is taken twice.
  const std::vector<int32_t> taken = {0, 2, 2};
  Output x = w;
  if (param.rows && param.use_resource) {
    OpBuilder gather(s, "ResourceGather");
    gather.In(w.handle()).In(ops::Const(s, taken)).Attr("dtype", param.type);
    x = gather.Finish().output(0);
  } else if (param.rows) {
    x = ops::Gather(s, w, ops::Const(s, taken));
  }
  const Output loss = ops::Mul(s, ops::Sum(s, ops::Square(s, x), {0, 1}), 0.5);
  const std::unique_ptr<Optimizer> optimizer = rule.make(step);
  const Operation train_op =
      optimizer->Minimize(s, loss, {.global_step = step});
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  for (int i = 1; i <= kSteps; ++i) {
    const Status ran = session.RunTargets({train_op});
    ASSERT_TRUE(ran.ok()) << ran;
    for (size_t j = 0; j < expected.size(); ++j) {
      const double times = param.rows ? static_cast<double>(std::count(
                                            taken.begin(), taken.end(),
                                            static_cast<int32_t>(j) / kColumns))
                                      : 1;
      if (times > 0) rule.update(expected[j], times * expected[j].w, i);
    }
  }
  auto out = session.Run({ops::Cast(s, w, DataType::kDouble)});
  ASSERT_TRUE(out.ok()) << out.status();
  const auto got = (*out)[0].flat<double>();
  for (size_t j = 0; j < expected.size(); ++j) {
    EXPECT_NEAR(got[j], expected[j].w,
                param.type == DataType::kDouble ? 1e-13 : 2e-6)
        << rule.name << " element " << j;
  }
  std::vector<std::string> own;
  for (const ops::Variable& v : optimizer->variables()) {
    own.push_back(v.op_name());
  }
  EXPECT_THAT(own, ElementsAreArray(rule.variables));
  EXPECT_THAT(optimizer->SlotNames(), ElementsAreArray(rule.slots));
}
INSTANTIATE_TEST_SUITE_P(
    All, OptimizerRules, testing::ValuesIn(AllParams()),
    [](const testing::TestParamInfo<RulesParam>& info) {
      return absl::StrCat(
          Rules()[static_cast<size_t>(info.param.rule)].name,
          info.param.use_resource ? "Resource" : "Reference",
          info.param.rows ? "Rows" : "Dense",
          info.param.type == DataType::kDouble ? "Double" : "Float");
    });

template <class T>
Status MinimizeWith(T&& optimizer) {
  const Scope s = Scope::NewRoot();
  const ops::Variable w(s.WithOpName("w"), 1.0f);
  optimizer.Minimize(s, ops::Square(s, w));
  return s.status();
}

TEST(OptimizerRules, WhatTheyRefuse) {
  EXPECT_THAT(
      MinimizeWith(AdagradOptimizer(0.1, {.initial_accumulator_value = 0}))
          .message(),
      HasSubstr("must be positive: 0"));
  EXPECT_THAT(MinimizeWith(ProximalAdagradOptimizer(
                               0.1, {.initial_accumulator_value = -1}))
                  .message(),
              HasSubstr("must be positive: -1"));
  EXPECT_EQ(
      MinimizeWith(FtrlOptimizer(0.1, {.learning_rate_power = 0.5})).code(),
      StatusCode::kInvalidArgument);
  EXPECT_EQ(MinimizeWith(FtrlOptimizer(0.1, {.l1_regularization_strength = -1}))
                .code(),
            StatusCode::kInvalidArgument);
  EXPECT_THAT(MinimizeWith(AdagradDAOptimizer(0.1, {})).message(),
              HasSubstr("needs a global step"));
}

}  // namespace
}  // namespace millrace::train
