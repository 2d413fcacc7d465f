#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"
#include "millrace/train/layers/batch_normalization.h"
#include "millrace/train/layers/conv2d.h"
#include "millrace/train/layers/dense.h"
#include "millrace/train/layers/dropout.h"
#include "millrace/train/layers/flatten.h"
#include "millrace/train/layers/pooling.h"
#include "millrace/train/layers/regularizers.h"
#include "millrace/train/optimizers/gradient_descent.h"

namespace millrace::train {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

std::vector<std::string> Names(const std::vector<ops::Variable>& variables) {
  std::vector<std::string> names;
  for (const ops::Variable& v : variables) names.push_back(v.op_name());
  return names;
}

class Layers : public testing::Test {
 protected:
  std::vector<float> Run(const Output& output) {
    EXPECT_TRUE(s_.ok()) << s_.status();
    if (!session_) {
      session_ = std::make_unique<Session>(s_);
      EXPECT_TRUE(
          session_->RunTargets({ops::GlobalVariablesInitializer(s_)}).ok());
    }
    auto out = session_->Run({output});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return {};
    const auto flat = (*out)[0].flat<float>();
    return {flat.begin(), flat.end()};
  }
  Output Numbers(std::vector<int64_t> shape, float factor = 1) {
    int64_t n = 1;
    for (const int64_t d : shape) n *= d;
    std::vector<float> values;
    for (int64_t i = 0; i < n; ++i) {
      values.push_back(factor * static_cast<float>(i));
    }
    return ops::Reshape(s_, ops::Const(s_, values), shape);
  }
  const Scope s_ = Scope::NewRoot();
  const VariableScope v_ = VariableScope(s_);
  std::unique_ptr<Session> session_;
};

TEST_F(Layers, Dense) {
  const Output x = ops::Const(s_, {{1.0f, 2.0f}, {-3.0f, 1.0f}});
  const Output y =
      Dense(v_, x, 2,
            {.activation = ops::Relu,
             .kernel_initializer = Constant({1.0f, 2.0f, 3.0f, 4.0f}),
             .bias_initializer = Constant(-1.0)});
  EXPECT_THAT(Run(y), ElementsAre(6, 9, 0, 0));
  EXPECT_EQ(y.name(), "dense/Relu:0");
  Dense(v_, x, 3, {.use_bias = false});
  EXPECT_THAT(Names(ops::TrainableVariables(s_)),
              ElementsAre("dense/kernel", "dense/bias", "dense_1/kernel"));
}

TEST_F(Layers, DenseOfMoreDimensions) {
  const Output x = Numbers({2, 3, 2});
  const Output y =
      Dense(v_, x, 1, {.kernel_initializer = Constant({1.0f, 10.0f})});
  EXPECT_EQ(y.shape(), PartialShape({2, 3, 1}));
  EXPECT_THAT(Run(y), ElementsAre(10, 32, 54, 76, 98, 120));
}

TEST_F(Layers, DenseOfParts) {
  const Output x = ops::Const(s_, {{1.0f, 2.0f, 3.0f}});
  const Output y = Dense(v_.WithPartitioner(FixedSizePartitioner(2)), x, 2,
                         {.kernel_initializer = Ones()});
  EXPECT_THAT(Run(y), ElementsAre(6, 6));
  EXPECT_THAT(Names(ops::TrainableVariables(s_)),
              ElementsAre("dense/kernel/part_0", "dense/kernel/part_1",
                          "dense/bias/part_0", "dense/bias/part_1"));
}

TEST_F(Layers, Conv2DAndPooling) {
  const Output x = Numbers({1, 3, 3, 1});
  const Output y =
      Conv2D(v_, x, 1, {2, 2},
             {.kernel_initializer = Ones(), .bias_initializer = Constant(0.5)});
  EXPECT_THAT(Run(y), ElementsAre(8.5, 12.5, 20.5, 24.5));
  const Output same =
      Conv2D(v_, x, 2, {3, 3}, {.strides = {2, 2}, .padding = Padding::kSame});
  EXPECT_EQ(same.shape(), PartialShape({1, 2, 2, 2}));
  EXPECT_THAT(Run(MaxPooling2D(s_, y, {2, 2}, {2, 2})), ElementsAre(24.5));
  EXPECT_THAT(Run(AveragePooling2D(s_, x, {3, 1}, {1, 1})),
              ElementsAre(3, 4, 5));
  EXPECT_THAT(Names(ops::TrainableVariables(s_)),
              ElementsAre("conv2d/kernel", "conv2d/bias", "conv2d_1/kernel",
                          "conv2d_1/bias"));
}

TEST_F(Layers, Flatten) {
  EXPECT_EQ(Flatten(s_, Numbers({2, 3, 4})).shape(), PartialShape({2, 12}));
  const Output open = ops::Placeholder(s_, DataType::kFloat,
                                       {.shape = PartialShape({-1, 5, 2})});
  EXPECT_EQ(Flatten(s_, open).shape(), PartialShape({-1, 10}));
  const Output unknown =
      ops::PlaceholderWithDefault(s_, Numbers({2, 3, 2}), PartialShape());
  const Output flat = Flatten(s_, unknown);
  Session session(s_);
  auto out = session.Run({flat});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), TensorShape({2, 6}));
}

TEST_F(Layers, Dropout) {
  const Output ones = ops::Fill(s_, {100, 100}, 1.0f);
  const Output y = Dropout(s_, ones, 0.25, {.seed = 7});
  const std::vector<float> values = Run(y);
  double mean = 0;
  for (const float v : values) {
    EXPECT_TRUE(v == 0 || std::abs(v - 4.0f / 3) < 1e-6);
    mean += v / 1e4;
  }
  EXPECT_NEAR(mean, 1, 0.02);
  EXPECT_EQ(Dropout(s_, ones, 0), ones);
  // Drops whole rows, by the shape of the noise.
  const std::vector<float> rows = Run(Dropout(
      s_, ones, 0.5, {.seed = 1, .noise_shape = ops::Const(s_, {100, 1})}));
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], rows[i - i % 100]);
  }
  const Output infinite =
      ops::Fill(s_, {50}, std::numeric_limits<float>::infinity());
  for (const float v : Run(Dropout(s_, infinite, 0.5, {.seed = 1}))) {
    EXPECT_FALSE(std::isnan(v));
  }
  for (const Literal& half :
       {Literal(Tensor::Scalar(0.5f)), Literal(Tensor::Scalar(Half(0.5f)))}) {
    EXPECT_EQ(Run(Dropout(s_, ones, half, {.seed = 2})),
              Run(Dropout(s_, ones, 0.5, {.seed = 2})));
  }
  const Output rate = ops::Const(s_, 0.0f);
  EXPECT_THAT(Run(Dropout(s_, ones, rate)), Each(1));
  Dropout(s_, ones, 1.0);
  EXPECT_THAT(s_.status().message(), HasSubstr("in the range [0, 1): got 1"));
}

// By one op and by several, along the last axis and another.
struct Norm {
  bool fused;
  int axis;
};
class BatchNorm : public Layers, public testing::WithParamInterface<Norm> {};
INSTANTIATE_TEST_SUITE_P(Forms, BatchNorm,
                         testing::Values(Norm{true, -1}, Norm{false, -1},
                                         Norm{false, 1}));

TEST_P(BatchNorm, FollowsTheBatches) {
  const auto [fused, axis] = GetParam();
  // Two channels, each 0..8 by 3 examples: mean 4.5 * ..., as doubles below.
  const bool last = axis == -1;
  const Output x = Numbers(last ? std::vector<int64_t>{3, 1, 3, 2}
                                : std::vector<int64_t>{3, 2, 3, 1});
  const auto channel = [&](int i) {
    return static_cast<size_t>(last ? i % 2 : i / 3 % 2);
  };
  double mean[2] = {}, square[2] = {};
  for (int i = 0; i < 18; ++i) mean[channel(i)] += i / 9.0;
  for (int i = 0; i < 18; ++i) {
    square[channel(i)] += (i - mean[channel(i)]) * (i - mean[channel(i)]) / 9;
  }
  const Output y = BatchNormalization(v_, x,
                                      {.axis = axis,
                                       .momentum = 0.75,
                                       .training = true,
                                       .fused = fused,
                                       .beta_initializer = Constant(0.5),
                                       .gamma_initializer = Constant(2.0)});
  const Output tested = BatchNormalization(
      v_.WithReuse(Reuse::kYes), x,
      {.axis = axis, .fused = fused, .name = "batch_normalization"});
  const std::vector<float> got = Run(y);
  ASSERT_EQ(got.size(), 18u);
  for (int i = 0; i < 18; ++i) {
    const size_t c = channel(i);
    EXPECT_NEAR(got[static_cast<size_t>(i)],
                2 * (i - mean[c]) / std::sqrt(square[c] + 0.001) + 0.5, 1e-4);
  }
  EXPECT_THAT(
      Names(ops::TrainableVariables(s_)),
      ElementsAre("batch_normalization/gamma", "batch_normalization/beta"));
  EXPECT_THAT(
      Names(ops::GlobalVariables(s_)),
      ElementsAre("batch_normalization/gamma", "batch_normalization/beta",
                  "batch_normalization/moving_mean",
                  "batch_normalization/moving_variance"));
  // The moving averages are unchanged until the updates run.
  EXPECT_NEAR(Run(tested)[4], 2 * 4 / std::sqrt(1.001) + 0.5, 1e-4);
  const std::vector<ControlInput> updates = UpdateOps(s_);
  ASSERT_EQ(updates.size(), 2u);
  ASSERT_TRUE(session_->RunTargets(updates).ok());
  const double sample = fused ? 9 / 8.0 : 1;
  for (int i = 0; i < 18; ++i) {
    const size_t c = channel(i);
    const double variance = 0.75 + 0.25 * square[c] * sample;
    EXPECT_NEAR(Run(tested)[static_cast<size_t>(i)],
                2 * (i - 0.25 * mean[c]) / std::sqrt(variance + 0.001) + 0.5,
                1e-3);
  }
}

TEST_F(Layers, BothFormsOfBatchNormalizationHaveTheSameGradients) {
  const Output x = ops::Sin(s_, Numbers({2, 3, 2, 3}, 0.7f));
  std::vector<std::vector<float>> gradients;
  for (const bool fused : {true, false}) {
    const Output y =
        BatchNormalization(v_, x, {.training = true, .fused = fused});
    const Output loss = ops::Sum(
        s_, ops::Mul(s_, ops::Square(s_, y), Numbers({2, 3, 2, 3}, 0.1f)),
        {0, 1, 2, 3});
    const auto dx = ops::Gradients(s_, {loss}, {x});
    ASSERT_TRUE(s_.ok()) << s_.status();
    gradients.push_back(Run(dx[0].tensor));
    session_ = nullptr;
  }
  EXPECT_THAT(gradients[0], Pointwise(FloatNear(2e-3f), gradients[1]));
}

TEST_F(Layers, Regularizers) {
  const Output x = ops::Const(s_, {{1.0f, 2.0f}});
  EXPECT_FALSE(RegularizationLoss(s_));
  Dense(v_, x, 2,
        {.kernel_initializer = Constant({1.0f, -2.0f, 3.0f, -4.0f}),
         .bias_initializer = Constant(2.0),
         .kernel_regularizer = L1Regularizer(0.5),
         .bias_regularizer = L2Regularizer(0.25)});
  EXPECT_THAT(Run(RegularizationLoss(s_)), ElementsAre(0.5 * 10 + 0.25 * 4));
}

TEST_F(Layers, WhatIsRefused) {
  Dense(v_, ops::Placeholder(s_, DataType::kFloat), 3);
  EXPECT_THAT(s_.status().message(), HasSubstr("should be defined"));
  const Scope other = Scope::NewRoot();
  Conv2D(VariableScope(other),
         ops::Placeholder(other, DataType::kFloat,
                          {.shape = PartialShape({1, 2, 3})}),
         1, {1, 1});
  EXPECT_THAT(other.status().message(), HasSubstr("found inputs [1,2,3]"));
}

}  // namespace
}  // namespace millrace::train
