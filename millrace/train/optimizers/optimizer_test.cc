#include "millrace/train/optimizers/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/train/global_step.h"
#include "millrace/train/optimizers/adam.h"
#include "millrace/train/optimizers/gradient_descent.h"
#include "millrace/train/optimizers/momentum.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ops::Variable Scalar(const Scope& s, const char* name, float value,
                     bool use_resource = false) {
  return ops::Variable(s.WithOpName(name), Tensor::Scalar(value),
                       {.use_resource = use_resource});
}

float NumberOf(Session& session, const Output& output) {
  auto out = session.Run({output});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0].scalar<float>() : NAN;
}

// Both kinds of variables.
class OptimizerTest : public testing::TestWithParam<bool> {
 protected:
  // Returns the value of w, which starts at 3, after `steps` steps down 0.5 *
  // w^2.
  float Minimized(Optimizer& optimizer, int steps) {
    const ops::Variable w = Scalar(s_, "w", 3, GetParam());
    const Output half = ops::Mul(s_, ops::Mul(s_, w, w), 0.5f);
    const Operation train_op = optimizer.Minimize(s_, half);
    EXPECT_TRUE(s_.ok()) << s_.status();
    if (!s_.ok()) return NAN;
    Session session(s_);
    EXPECT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
    for (int i = 0; i < steps; ++i) {
      const Status ran = session.RunTargets({train_op});
      EXPECT_TRUE(ran.ok()) << ran;
    }
    return NumberOf(session, w.value());
  }
  std::vector<std::string> VariableNames() {
    std::vector<std::string> names;
    for (const ops::Variable& v : ops::GlobalVariables(s_)) {
      names.push_back(v.op_name());
    }
    return names;
  }
  const Scope s_ = Scope::NewRoot();
};
INSTANTIATE_TEST_SUITE_P(Kinds, OptimizerTest, testing::Bool());

TEST_P(OptimizerTest, GradientDescent) {
  GradientDescentOptimizer optimizer(0.1);
  EXPECT_FLOAT_EQ(Minimized(optimizer, 2), 3 * 0.9f * 0.9f);
  EXPECT_THAT(VariableNames(), ElementsAre("w"));
}

TEST_P(OptimizerTest, Momentum) {
  MomentumOptimizer optimizer(0.1, 0.9);
  float w = 3, accumulation = 0;
  for (int i = 0; i < 3; ++i) {
    accumulation = 0.9f * accumulation + w;
    w -= 0.1f * accumulation;
  }
  EXPECT_NEAR(Minimized(optimizer, 3), w, 1e-6);
  EXPECT_THAT(VariableNames(), ElementsAre("w", "w/Momentum"));
  EXPECT_THAT(optimizer.SlotNames(), ElementsAre("momentum"));
  const ops::Variable slot =
      optimizer.Slot(ops::GlobalVariables(s_)[0], "momentum");
  ASSERT_TRUE(slot);
  EXPECT_FALSE(slot.trainable());
}

TEST_P(OptimizerTest, Nesterov) {
  MomentumOptimizer optimizer(0.1, 0.9, {.use_nesterov = true});
  float w = 3, accumulation = 0;
  for (int i = 0; i < 3; ++i) {
    const float gradient = w;
    accumulation = 0.9f * accumulation + gradient;
    w -= 0.1f * gradient + 0.1f * 0.9f * accumulation;
  }
  EXPECT_NEAR(Minimized(optimizer, 3), w, 1e-6);
}

TEST_P(OptimizerTest, Adam) {
  AdamOptimizer optimizer(0.1);
  double w = 3, m = 0, v = 0;
  for (int i = 1; i <= 3; ++i) {
    m = 0.9 * m + 0.1 * w;
    v = 0.999 * v + 0.001 * w * w;
    const double rate =
        0.1 * std::sqrt(1 - std::pow(0.999, i)) / (1 - std::pow(0.9, i));
    w -= rate * m / (std::sqrt(v) + 1e-8);
  }
  EXPECT_NEAR(Minimized(optimizer, 3), w, 1e-5);
  EXPECT_THAT(VariableNames(), ElementsAre("w", "beta1_power", "beta2_power",
                                           "w/Adam", "w/Adam_1"));
}

// As in TensorFlow's checkpoints.
TEST_P(OptimizerTest, AdamsPowersAreFloats) {
  for (const DataType type : {DataType::kDouble, DataType::kHalf}) {
    const Scope s = Scope::NewRoot();
    const ops::Variable w(s.WithOpName("w"), ops::Const(s, 3.0, type),
                          {.use_resource = GetParam()});
    AdamOptimizer optimizer(0.5, {.epsilon = 1e-3f});
    const Operation train_op = optimizer.Minimize(s, ops::Mul(s, w, w));
    ASSERT_TRUE(s.ok()) << s.status();
    Session session(s);
    ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
    for (int i = 0; i < 2; ++i) {
      const Status ran = session.RunTargets({train_op});
      ASSERT_TRUE(ran.ok()) << ran;
    }
    for (const ops::Variable& v : ops::GlobalVariables(s)) {
      if (v.op_name() == "beta1_power") {
        EXPECT_EQ(v.dtype(), DataType::kFloat);
        EXPECT_FLOAT_EQ(NumberOf(session, v), 0.9f * 0.9f * 0.9f);
      } else if (v.op_name() == "beta2_power") {
        EXPECT_EQ(v.dtype(), DataType::kFloat);
      } else {
        EXPECT_EQ(v.dtype(), type) << v.op_name();
      }
    }
    // Two steps of the learning rate, whatever the gradient's size.
    const Output value = ops::Cast(s, w, DataType::kFloat);
    EXPECT_NEAR(NumberOf(session, value), 2, 0.02);
  }
}

TEST(Optimizer, TheGlobalStepFollowsTheUpdate) {
  const Scope s = Scope::NewRoot();
  const ops::Variable step = GetOrCreateGlobalStep(s);
  EXPECT_EQ(GetOrCreateGlobalStep(s), step);
  const ops::Variable w = Scalar(s, "w", 1);
  GradientDescentOptimizer optimizer(0.5);
  const Operation train_op =
      optimizer.Minimize(s, ops::Mul(s, w, 2.0f), {.global_step = step});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(train_op.name(), "GradientDescent");
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  auto out = session.Run({train_op.output(0)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int64_t>(), 1);
  EXPECT_EQ(NumberOf(session, w.value()), 0);
  EXPECT_EQ(*ReadGlobalStep(session, step), 1);
  CreateGlobalStep(s);
  EXPECT_EQ(s.status().code(), StatusCode::kInvalidArgument);
}

TEST(Optimizer, TheGlobalStepMayBeAResource) {
  const Scope s = Scope::NewRoot();
  const ops::Variable step(s.WithOpName("global_step"), int64_t{4},
                           {.trainable = false, .use_resource = true});
  const ops::Variable w = Scalar(s, "w", 1);
  GradientDescentOptimizer optimizer(0.5);
  const Operation train_op =
      optimizer.Minimize(s, ops::Mul(s, w, 2.0f), {.global_step = step});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(train_op.name(), "GradientDescent");
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  auto out = session.Run({train_op.output(0)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<int64_t>(), 5);
  EXPECT_EQ(NumberOf(session, w.value()), 0);
}

TEST(Optimizer, SlotsAndUpdatesLieBesideTheirVariables) {
  const Scope s = Scope::NewRoot();
  const ops::Variable a = Scalar(s.WithDevice("/job:ps/task:0"), "a", 1);
  const ops::Variable b = Scalar(s.WithDevice("/job:ps/task:1"), "b", 1);
  const Scope worker = s.WithDevice("/job:worker/task:0");
  MomentumOptimizer optimizer(0.1, 0.9);
  optimizer.Minimize(worker, ops::Mul(worker, a, b));
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(optimizer.Slot(b, "momentum").op().device(), "/job:ps/task:1");
  const Operation update = s.graph().Find("Momentum/update_b/ApplyMomentum");
  ASSERT_TRUE(update);
  EXPECT_EQ(update.device(), "/job:ps/task:1");
  // Numbers are constants on the ps, the product is computed on the worker.
  EXPECT_EQ(update.input(2).op().device(), "/job:ps/task:1");
  EXPECT_EQ(update.input(3).op().device(), "/job:worker/task:0");
}

TEST(Optimizer, ALearningRateMayBeATensor) {
  const Scope s = Scope::NewRoot();
  const Output rate =
      ops::Placeholder(s, DataType::kFloat, {.shape = PartialShape({})});
  const ops::Variable w = Scalar(s, "w", 1);
  GradientDescentOptimizer optimizer(rate);
  const Operation train_op = optimizer.Minimize(s, ops::Mul(s, w, 2.0f));
  ASSERT_TRUE(s.ok()) << s.status();
  Session session(s);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s)}).ok());
  ASSERT_TRUE(session.RunTargets({{rate, 0.25f}}, {train_op}).ok());
  EXPECT_EQ(NumberOf(session, w.value()), 0.5f);
}

// Each layer's gradient is computed of the kernels that the step began with,
// though some of them are updated while others are still computed.
TEST_P(OptimizerTest, UpdatesDoNotReachTheGradientsOfTheirStep) {
  constexpr int64_t kUnits = 48;
  constexpr int kLayers = 6;
  const std::vector<float> inputs(kUnits, 0.1f);
  const Output x = ops::Const(
      s_,
      Tensor::Of<float>(TensorShape({1, kUnits}), absl::MakeConstSpan(inputs)));
  std::vector<ops::Variable> kernels;
  Output y = x;
  for (int i = 0; i < kLayers; ++i) {
    std::vector<float> values(kUnits * kUnits);
    for (size_t j = 0; j < values.size(); ++j)
      values[j] =
          static_cast<float>((j * 7919 + static_cast<size_t>(i)) % 13) * 0.01f -
          0.06f;
    kernels.emplace_back(s_.WithOpName("kernel"),
                         Tensor::Of<float>(TensorShape({kUnits, kUnits}),
                                           absl::MakeConstSpan(values)),
                         ops::VariableOptions{.use_resource = GetParam()});
    y = ops::Tanh(s_, ops::MatMul(s_, y, kernels.back()));
  }
  const Output loss = ops::Sum(s_, y, {0, 1});
  GradientDescentOptimizer rule(1.0f);
  const auto gradients = rule.ComputeGradients(s_, loss);
  const Operation train_op = rule.ApplyGradients(s_, gradients);
  std::vector<Output> expected;
  std::vector<Output> now;
  for (const auto& [gradient, variable] : gradients) {
    expected.push_back(ops::Sub(s_, variable, gradient.tensor));
    now.push_back(variable);
  }
  Session session(s_);
  ASSERT_TRUE(session.RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
  for (int step = 0; step < 50; ++step) {
    const auto before = session.Run(expected);
    ASSERT_TRUE(before.ok()) << before.status();
    ASSERT_TRUE(session.RunTargets({train_op}).ok());
    const auto after = session.Run(now);
    ASSERT_TRUE(after.ok()) << after.status();
    for (size_t i = 0; i < after->size(); ++i) {
      EXPECT_TRUE(IdenticalTensors((*before)[i], (*after)[i]))
          << "kernel " << i << ", step " << step;
    }
  }
}

TEST(Optimizer, WithoutGradients) {
  const Scope s = Scope::NewRoot();
  const ops::Variable w = Scalar(s, "w", 1);
  GradientDescentOptimizer optimizer(0.1);
  EXPECT_FALSE(optimizer.Minimize(s, ops::Const(s, 1.0f)));
  const Status status = s.status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("No gradients provided for any "
                                          "variable: w:0"));
  const Scope empty = Scope::NewRoot();
  EXPECT_FALSE(optimizer.Minimize(empty, ops::Const(empty, 1.0f)));
  EXPECT_THAT(empty.status().message(), HasSubstr("No variables to optimize"));
}

}  // namespace
}  // namespace millrace::train
