#include "millrace/train/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "millrace/client/ops.h"
#include "millrace/client/session.h"

namespace millrace::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Metrics : public testing::Test {
 protected:
  Session& Started() {
    EXPECT_TRUE(s_.ok()) << s_.status();
    if (!session_) {
      session_ = std::make_unique<Session>(s_);
      EXPECT_TRUE(
          session_->RunTargets({ops::LocalVariablesInitializer(s_)}).ok());
    }
    return *session_;
  }
  float Number(const Output& output, const std::vector<Feed>& feeds = {}) {
    auto out = Started().Run(feeds, {output});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<float>() : NAN;
  }
  Output Fed(DataType type) {
    return ops::Placeholder(s_, type, {.shape = PartialShape({-1})});
  }
  const Scope s_ = Scope::NewRoot();
  const VariableScope v_ = VariableScope(s_);
  std::unique_ptr<Session> session_;
};

TEST_F(Metrics, Mean) {
  const Output x = Fed(DataType::kFloat);
  const Output w = Fed(DataType::kFloat);
  const Metric mean = Mean(v_, x);
  const Metric weighted = Mean(v_, x, {.weights = w});
  EXPECT_EQ(Number(mean.value), 0);
  EXPECT_EQ(Number(mean.update, {{x, {1.0f, 2.0f}}}), 1.5);
  EXPECT_EQ(Number(mean.update, {{x, {6.0f}}}), 3);
  EXPECT_EQ(Number(mean.value), 3);
  EXPECT_EQ(Number(weighted.update, {{x, {1.0f, 5.0f}}, {w, {3.0f, 1.0f}}}), 2);
  std::vector<std::string> names;
  for (const ops::Variable& v : ops::LocalVariables(s_)) {
    names.push_back(v.op_name());
  }
  EXPECT_THAT(names, ElementsAre("mean/total", "mean/count", "mean_1/total",
                                 "mean_1/count"));
  EXPECT_TRUE(ops::GlobalVariables(s_).empty());
}

TEST_F(Metrics, AreNotRegularized) {
  const VariableScope regularized =
      v_.WithRegularizer([](const Scope& s, const Output& value) {
        return ops::Sum(s, ops::Reshape(s, value, {-1}), {0});
      });
  Accuracy(regularized, Fed(DataType::kInt32), Fed(DataType::kInt32));
  EXPECT_TRUE(
      s_.graph().Collection<Output>(graph_keys::kRegularizationLosses).empty());
}

TEST_F(Metrics, Accuracy) {
  const Output y = Fed(DataType::kInt64);
  const Output p = Fed(DataType::kInt32);
  const Metric accuracy = Accuracy(v_, y, p);
  EXPECT_EQ(Number(accuracy.update, {{y, {1, 2, 3, 4}}, {p, {1, 2, 0, 0}}}),
            0.5);
  EXPECT_EQ(Number(accuracy.update, {{y, {1, 2}}, {p, {1, 2}}}), 4.0f / 6);
  EXPECT_EQ(ops::LocalVariables(s_)[0].op_name(), "accuracy/total");
}

TEST_F(Metrics, AccuracyIsInTheTypeOfTheLabels) {
  const Output y = Fed(DataType::kInt32);
  const Output p = Fed(DataType::kFloat);
  const Metric accuracy = Accuracy(v_, y, p);
  EXPECT_EQ(Number(accuracy.update, {{y, {1, 2}}, {p, {1.0f, 2.5f}}}), 1);
}

// Broadcast to [n, n], each label would be compared with each prediction.
TEST_F(Metrics, ALastDimensionOfOneGoes) {
  const auto column = [&](DataType type) {
    return ops::Placeholder(s_, type, {.shape = PartialShape({-1, 1})});
  };
  const Output y = column(DataType::kInt32);
  const Output unknown = ops::Placeholder(s_, DataType::kInt32);
  const Output p = Fed(DataType::kInt32);
  const Output w = column(DataType::kFloat);
  const Output free_weights = Fed(DataType::kFloat);
  const Metric squeezed = Accuracy(v_, y, p);
  const Metric swapped = Accuracy(v_, p, y);
  const Metric weighted = Accuracy(v_, y, p, {.weights = w});
  const Metric precision = Precision(v_, y, p);
  const Metric open = Accuracy(v_, unknown, p);
  const Metric open_mean = Mean(v_, unknown, {.weights = free_weights});
  const Tensor column_of_4 = Tensor::Of<int32_t>({4, 1}, {1, 2, 3, 4});
  const Feed labels = {y, column_of_4};
  const Feed said = {p, {1, 2, 0, 0}};
  EXPECT_EQ(Number(squeezed.update, {labels, said}), 0.5);
  EXPECT_EQ(Number(swapped.update, {labels, said}), 0.5);
  EXPECT_EQ(
      Number(weighted.update,
             {labels, said, {w, Tensor::Of<float>({4, 1}, {3, 0, 1, 0})}}),
      0.75);
  EXPECT_EQ(Number(precision.update, {labels, said}), 1);
  // Known only in the step.
  EXPECT_EQ(Number(open.update, {{unknown, column_of_4}, said}), 0.5);
  EXPECT_EQ(Number(open.update, {{unknown, {1, 2, 0, 0}}, said}), 0.75);
  EXPECT_EQ(
      Number(open_mean.update, {{unknown, column_of_4},
                                {free_weights, {0.0f, 0.0f, 3.0f, 1.0f}}}),
      3.25);
}

TEST_F(Metrics, WeightsThatDoNotFit) {
  const Output x = Fed(DataType::kFloat);
  const Output w = Fed(DataType::kFloat);
  const Metric mean = Mean(v_, x, {.weights = w});
  EXPECT_EQ(Started()
                .Run({{x, {1.0f}}, {w, {1.0f, 2.0f, 3.0f}}}, {mean.update})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
  Mean(v_, ops::Const(s_, {1.0f, 2.0f}),
       {.weights = ops::Const(s_, {1.0f, 2.0f, 3.0f})});
  EXPECT_THAT(s_.status().message(), HasSubstr("can not be broadcast"));
}

TEST_F(Metrics, ShapesThatDoNotFit) {
  Precision(v_, ops::Const(s_, {1, 0, 1}), ops::Const(s_, {1, 0}));
  EXPECT_THAT(s_.status().message(), HasSubstr("incompatible"));
}

TEST_F(Metrics, PrecisionAndRecall) {
  const Output y = Fed(DataType::kBool);
  const Output p = Fed(DataType::kInt32);
  const Metric precision = Precision(v_, y, p);
  const Metric recall = Recall(v_, y, p);
  EXPECT_EQ(Number(precision.value), 0);
  const std::vector<Feed> feeds = {{y, {true, true, false, false, true}},
                                   {p, {1, 0, 1, 0, 7}}};
  EXPECT_FLOAT_EQ(Number(precision.update, feeds), 2.0f / 3);
  EXPECT_FLOAT_EQ(Number(recall.update, feeds), 2.0f / 3);
  EXPECT_FLOAT_EQ(Number(recall.update, {{y, {true, true}}, {p, {0, 0}}}),
                  2.0f / 5);
  EXPECT_FLOAT_EQ(Number(precision.value), 2.0f / 3);
  EXPECT_TRUE(s_.graph().Find("recall/false_negatives/count"));
}

TEST_F(Metrics, Auc) {
  const Output y = Fed(DataType::kBool);
  const Output p = Fed(DataType::kFloat);
  const Metric roc = Auc(v_, y, p);
  const Metric pr = Auc(v_, y, p, {.curve = AucCurve::kPr});
  // Three of four pairs are ranked correctly.
  const std::vector<Feed> feeds = {{y, {false, false, true, true}},
                                   {p, {0.1f, 0.4f, 0.35f, 0.8f}}};
  EXPECT_NEAR(Number(roc.update, feeds), 0.75, 1e-4);
  EXPECT_NEAR(Number(roc.value), 0.75, 1e-4);
  EXPECT_GT(Number(pr.update, feeds), 0.7);
  EXPECT_EQ(ops::LocalVariables(s_)[0].op_name(), "auc/true_positives");
  EXPECT_EQ(ops::LocalVariables(s_)[0].shape(), PartialShape({200}));
  Auc(v_, y, p, {.num_thresholds = 2});
  EXPECT_THAT(s_.status().message(), HasSubstr("more than 2 thresholds"));
}

}  // namespace
}  // namespace millrace::train
