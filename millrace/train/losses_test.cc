#include "millrace/train/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "millrace/client/gradients.h"
#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::train {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

class Losses : public testing::Test {
 protected:
  std::vector<float> Run(const Output& output) {
    EXPECT_TRUE(s_.ok()) << s_.status();
    Session session(s_);
    auto out = session.Run({output});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return {};
    const auto flat = (*out)[0].flat<float>();
    return {flat.begin(), flat.end()};
  }
  void Expect(const Output& output, const std::vector<float>& values) {
    EXPECT_THAT(Run(output), Pointwise(FloatNear(1e-5f), values));
  }
  const Scope s_ = Scope::NewRoot();
  const LossOptions none_ = {.reduction = Reduction::kNone};
  const Output labels_ = ops::Const(s_, {{0.0f, 1.0f}, {1.0f, 1.0f}});
  const Output scores_ = ops::Const(s_, {{0.5f, 0.25f}, {-1.0f, 3.0f}});
};

TEST_F(Losses, Elementwise) {
  Expect(AbsoluteDifference(s_, labels_, scores_, none_), {0.5, 0.75, 2, 2});
  Expect(MeanSquaredError(s_, labels_, scores_, none_), {0.25, 0.5625, 4, 4});
  Expect(HuberLoss(s_, labels_, scores_,
                   {.delta = 1.5, .reduction = Reduction::kNone}),
         {0.125, 0.28125, 1.125f + 0.75f, 1.125f + 0.75f});
  Expect(HingeLoss(s_, labels_, scores_, none_), {1.5, 0.75, 2, 0});
  const Output p = ops::Const(s_, {{0.5f, 0.25f}, {1.0f, 0.75f}});
  const auto log = [](double x) {
    return static_cast<float>(-std::log(x + 1e-7));
  };
  Expect(LogLoss(s_, labels_, p, {.reduction = Reduction::kNone}),
         {log(0.5), log(0.25), log(1), log(0.75)});
  const auto logistic = [](double y, double x) {
    return static_cast<float>(std::log(1 + std::exp(x)) - y * x);
  };
  Expect(
      SigmoidCrossEntropy(s_, labels_, scores_,
                          {.reduction = Reduction::kNone}),
      {logistic(0, 0.5), logistic(1, 0.25), logistic(1, -1), logistic(1, 3)});
  Expect(SigmoidCrossEntropy(
             s_, labels_, scores_,
             {.label_smoothing = 0.2, .reduction = Reduction::kNone}),
         {logistic(0.1, 0.5), logistic(0.9, 0.25), logistic(0.9, -1),
          logistic(0.9, 3)});
  const Output far = ops::Const(s_, {{-1000.0f, 1000.0f}, {1000.0f, -1000.0f}});
  Expect(SigmoidCrossEntropy(s_, labels_, far, {.reduction = Reduction::kNone}),
         {0, 0, 0, 1000});
}

TEST_F(Losses, Rows) {
  const Output unit = ops::Const(s_, {{0.6f, 0.8f}, {1.0f, 0.0f}});
  Expect(CosineDistance(s_, labels_, unit, 1, none_), {0.2f, 0.0f});
  const auto softmax = [](double a, double b, double y) {
    const double log = std::log(std::exp(a) + std::exp(b));
    return static_cast<float>(log - (1 - y) * a - y * b);
  };
  const Output one_hot = ops::Const(s_, {{0.0f, 1.0f}, {1.0f, 0.0f}});
  const std::vector<float> expected = {softmax(0.5, 0.25, 1),
                                       softmax(-1, 3, 0)};
  Expect(SoftmaxCrossEntropy(s_, one_hot, scores_,
                             {.reduction = Reduction::kNone}),
         expected);
  Expect(SparseSoftmaxCrossEntropy(s_, ops::Const(s_, {1, 0}), scores_, none_),
         expected);
  Expect(SoftmaxCrossEntropy(
             s_, one_hot, scores_,
             {.label_smoothing = 0.2, .reduction = Reduction::kNone}),
         {softmax(0.5, 0.25, 0.9), softmax(-1, 3, 0.1)});
  // Labels of more dimensions.
  const Output cube = ops::Reshape(s_, scores_, {1, 2, 2});
  const Output loss =
      SparseSoftmaxCrossEntropy(s_, ops::Const(s_, {{1, 0}}), cube, none_);
  EXPECT_EQ(loss.shape(), PartialShape({1, 2}));
  Expect(loss, expected);
}

TEST_F(Losses, WeightsAndReductions) {
  // Losses {0.5, 0.75, 2, 2}.
  const auto loss = [&](const Input& weights, Reduction reduction) {
    return AbsoluteDifference(s_, labels_, scores_,
                              {.weights = weights, .reduction = reduction});
  };
  Expect(loss(1.0, Reduction::kSumByNonzeroWeights), {5.25f / 4});
  Expect(loss(2.0, Reduction::kSum), {10.5});
  Expect(loss(2.0, Reduction::kMean), {5.25f / 4});
  Expect(loss(0.0, Reduction::kSumByNonzeroWeights), {0});
  const Output rows = ops::Const(s_, {{0.0f}, {3.0f}});
  Expect(loss(rows, Reduction::kNone), {0, 0, 6, 6});
  Expect(loss(rows, Reduction::kSum), {12});
  Expect(loss(rows, Reduction::kMean), {2});
  Expect(loss(rows, Reduction::kSumOverBatchSize), {3});
  Expect(loss(rows, Reduction::kSumByNonzeroWeights), {6});
  const Output all = ops::Const(s_, {{1.0f, 0.0f}, {0.0f, 1.0f}});
  Expect(loss(all, Reduction::kSumByNonzeroWeights), {1.25});
}

TEST_F(Losses, AreCollected) {
  MeanSquaredError(s_, labels_, scores_);
  AbsoluteDifference(s_, labels_, scores_, {.collection = ""});
  HuberLoss(s_, labels_, scores_);
  EXPECT_EQ(s_.graph().Collection<Output>(graph_keys::kLosses).size(), 2u);
  s_.graph().AddToCollection(graph_keys::kRegularizationLosses,
                             ops::Const(s_, 10.0f));
  Expect(TotalLoss(s_),
         {8.8125f / 4 + (0.125f + 0.28125f + 1.5f + 1.5f) / 4 + 10});
  EXPECT_FALSE(TotalLoss(Scope::NewRoot()));
}

TEST_F(Losses, Derivatives) {
  const auto slope = [&](const Output& loss) {
    const auto dx = ops::Gradients(s_, {loss}, {scores_});
    EXPECT_TRUE(s_.ok()) << s_.status();
    return s_.ok() ? dx[0].tensor : Output();
  };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  Expect(
      slope(SigmoidCrossEntropy(s_, labels_, scores_,
                                {.reduction = Reduction::kSum})),
      {static_cast<float>(sigmoid(0.5)), static_cast<float>(sigmoid(0.25) - 1),
       static_cast<float>(sigmoid(-1) - 1),
       static_cast<float>(sigmoid(3) - 1)});
  Expect(slope(MeanSquaredError(s_, labels_, scores_)), {0.25, -0.375, -1, 1});
  Expect(slope(HuberLoss(s_, labels_, scores_, {.reduction = Reduction::kSum})),
         {0.5, -0.75, -1, 1});
}

TEST_F(Losses, WhatIsRefused) {
  MeanSquaredError(s_, labels_, ops::Const(s_, {1.0f, 2.0f, 3.0f}));
  EXPECT_THAT(s_.status().message(), HasSubstr("are incompatible"));
  const Scope other = Scope::NewRoot();
  WeightedLoss(other, ops::Const(other, {1.0f, 2.0f}),
               {.weights = ops::Const(other, {1.0f, 2.0f, 3.0f})});
  EXPECT_THAT(other.status().message(),
              HasSubstr("weights can not be broadcast to values"));
}

}  // namespace
}  // namespace millrace::train
