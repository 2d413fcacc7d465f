#include "millrace/train/metrics.h"

#include <vector>

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/ops.h"
#include "millrace/train/matching_shapes.h"
#include "millrace/train/sum_of_all.h"

namespace millrace::train {
namespace {

VariableScope BlockFor(const VariableScope& variables, const std::string& name,
                       const char* otherwise) {
  return name.empty() ? variables.UniqueSub(otherwise) : variables.Sub(name);
}

ops::Variable Local(const VariableScope& block, const char* name,
                    const TensorShape& shape) {
  // A counter is not regularized, whatever the regularizer of the scope.
  return block.WithRegularizer({}).GetVariable(
      name, shape,
      {.initializer = Zeros(),
       .trainable = false,
       .collections = {graph_keys::kLocalVariables,
                       graph_keys::kMetricVariables}});
}

Output Float(const Scope& scope, const Output& x) {
  return x && x.dtype() != DataType::kFloat
             ? ops::Cast(scope, x, DataType::kFloat)
             : x;
}
Output Bool(const Scope& scope, const Output& x) {
  return x && x.dtype() != DataType::kBool
             ? ops::Cast(scope, x, DataType::kBool)
             : x;
}

// Labels and predictions of one shape; null after an error.
struct Pair {
  Output labels;
  Output predictions;
};
Pair Matching(const Scope& s, const Output& labels, const Output& predictions) {
  const Pair pair = {SqueezedLike(s, labels, predictions),
                     SqueezedLike(s, predictions, labels)};
  if (!pair.labels || !pair.predictions) return {};
  const Status fits =
      CheckShapes(pair.labels.shape(), pair.predictions.shape());
  if (fits.ok()) return pair;
  s.Fail(fits, "metric");
  return {};
}

// The values and their number, both weighted.
struct Weighted {
  Output sum;
  Output count;
};
Weighted WeightedSum(const Scope& s, const Output& values,
                     const Output& weights) {
  const Output x = Float(s, values);
  if (!weights) {
    return {SumOfAll(s, x), ops::Cast(s, SizeOf(s, x), DataType::kFloat)};
  }
  const Output w = WeightsOf(s, Float(s, weights), x);
  if (!w) return {};
  return {SumOfAll(s, ops::Mul(s, x, w)), SumOfAll(s, w)};
}

Metric MeanIn(const VariableScope& block, const Output& values,
              const Output& weights) {
  const Scope& s = block.scope();
  if (!values) return {};
  const ops::Variable total = Local(block, "total", TensorShape());
  const ops::Variable count = Local(block, "count", TensorShape());
  if (!total || !count) return {};
  const Weighted step = WeightedSum(s, values, weights);
  if (!step.sum) return {};
  const Output new_total = total.AssignAdd(s, step.sum);
  const Output new_count = count.AssignAdd(s, step.count);
  return {ops::DivNoNan(s.WithOpName("value"), total, count),
          ops::DivNoNan(s.WithOpName("update_op"), new_total, new_count)};
}

// A counter of the examples for which `is` holds.
struct Count {
  Output value;
  Output update;
};
Count CountOf(const VariableScope& block, const char* name, const Output& is,
              const Output& weights) {
  const VariableScope inner = block.Sub(name);
  const Scope& s = inner.scope();
  const ops::Variable count = Local(inner, "count", TensorShape());
  if (!count || !is) return {};
  const Output sum = WeightedSum(s, is, weights).sum;
  return sum ? Count{count, count.AssignAdd(s, sum)} : Count{};
}

// yes / (yes + no)
Metric Part(const Scope& s, const Count& yes, const Count& no) {
  if (!yes.value || !no.value) return {};
  return {ops::DivNoNan(s.WithOpName("value"), yes.value,
                        ops::AddV2(s, yes.value, no.value)),
          ops::DivNoNan(s.WithOpName("update_op"), yes.update,
                        ops::AddV2(s, yes.update, no.update))};
}

// The four counts at all thresholds (confusion matrices).
struct Confusion {
  Output true_positives;
  Output false_negatives;
  Output true_negatives;
  Output false_positives;
};

Output Area(const Scope& s, const Confusion& at, const AucOptions& options) {
  // Avoids 0 / 0.
  constexpr double kEpsilon = 1e-6;
  const auto ratio = [&](const Output& part, const Output& rest) {
    return ops::RealDiv(s, ops::AddV2(s, part, kEpsilon),
                        ops::AddV2(s, ops::AddV2(s, part, rest), kEpsilon));
  };
  const Output recall = ratio(at.true_positives, at.false_negatives);
  Output x = recall;
  Output y;
  if (options.curve == AucCurve::kRoc) {
    x = ops::RealDiv(
        s, at.false_positives,
        ops::AddV2(s, ops::AddV2(s, at.false_positives, at.true_negatives),
                   kEpsilon));
    y = recall;
  } else {
    y = ratio(at.true_positives, at.false_positives);
  }
  const auto but_last = [&](const Output& v) {
    return ops::Slice(s, v, {0}, {options.num_thresholds - 1});
  };
  const auto but_first = [&](const Output& v) {
    return ops::Slice(s, v, {1}, {options.num_thresholds - 1});
  };
  Output height;
  switch (options.summation) {
    case AucSummation::kTrapezoidal:
      height = ops::Mul(s, ops::AddV2(s, but_last(y), but_first(y)), 0.5);
      break;
    case AucSummation::kMinoring:
      height = ops::Minimum(s, but_last(y), but_first(y));
      break;
    case AucSummation::kMajoring:
      height = ops::Maximum(s, but_last(y), but_first(y));
      break;
  }
  return ops::Sum(
      s, ops::Mul(s, ops::Sub(s, but_last(x), but_first(x)), height), {0});
}

std::vector<float> Thresholds(int count) {
  constexpr float kEpsilon = 1e-7f;
  std::vector<float> thresholds = {-kEpsilon};
  for (int i = 1; i < count - 1; ++i) {
    thresholds.push_back(
        static_cast<float>(static_cast<double>(i) / (count - 1)));
  }
  thresholds.push_back(1 + kEpsilon);
  return thresholds;
}

}  // namespace

Metric Mean(const VariableScope& variables, const Output& values,
            const MetricOptions& options) {
  return MeanIn(BlockFor(variables, options.name, "mean"), values,
                options.weights);
}

Metric Accuracy(const VariableScope& variables, const Output& labels,
                const Output& predictions, const MetricOptions& options) {
  const VariableScope block = BlockFor(variables, options.name, "accuracy");
  const Scope& s = block.scope();
  if (!labels || !predictions) return {};
  const Pair pair = Matching(s, labels, predictions);
  if (!pair.labels) return {};
  const DataType type = pair.labels.dtype();
  const Output said = pair.predictions.dtype() == type
                          ? pair.predictions
                          : ops::Cast(s, pair.predictions, type);
  return MeanIn(block, ops::Equal(s, said, pair.labels), options.weights);
}

Metric Precision(const VariableScope& variables, const Output& labels,
                 const Output& predictions, const MetricOptions& options) {
  const VariableScope block = BlockFor(variables, options.name, "precision");
  const Scope& s = block.scope();
  if (!labels || !predictions) return {};
  const auto [is, said] = Matching(s, Bool(s, labels), Bool(s, predictions));
  if (!is) return {};
  const Count yes = CountOf(block, "true_positives",
                            ops::LogicalAnd(s, is, said), options.weights);
  const Count no = CountOf(block, "false_positives",
                           ops::LogicalAnd(s, ops::LogicalNot(s, is), said),
                           options.weights);
  return Part(s, yes, no);
}

Metric Recall(const VariableScope& variables, const Output& labels,
              const Output& predictions, const MetricOptions& options) {
  const VariableScope block = BlockFor(variables, options.name, "recall");
  const Scope& s = block.scope();
  if (!labels || !predictions) return {};
  const auto [is, said] = Matching(s, Bool(s, labels), Bool(s, predictions));
  if (!is) return {};
  const Count yes = CountOf(block, "true_positives",
                            ops::LogicalAnd(s, is, said), options.weights);
  const Count no = CountOf(block, "false_negatives",
                           ops::LogicalAnd(s, is, ops::LogicalNot(s, said)),
                           options.weights);
  return Part(s, yes, no);
}

Metric Auc(const VariableScope& variables, const Output& labels,
           const Output& predictions, const AucOptions& options) {
  const VariableScope block = BlockFor(variables, options.name, "auc");
  const Scope& s = block.scope();
  if (!labels || !predictions) return {};
  if (options.num_thresholds <= 2) {
    s.Fail(InvalidArgument("Auc needs more than 2 thresholds, got ",
                           options.num_thresholds),
           block.name());
    return {};
  }
  const Pair pair = Matching(s, Bool(s, labels), Float(s, predictions));
  if (!pair.labels) return {};
  // [thresholds, n]
  const Output is = ops::Reshape(s, pair.labels, {1, -1});
  const Output scores = ops::Reshape(s, pair.predictions, {1, -1});
  const Output thresholds = ops::Reshape(
      s, ops::Const(s, Thresholds(options.num_thresholds)), {-1, 1});
  const Output said = ops::Greater(s, scores, thresholds);
  const Output is_not = ops::LogicalNot(s, is);
  const Output not_said = ops::LogicalNot(s, said);
  Output weights;
  if (options.weights) {
    weights = WeightsOf(s, Float(s, options.weights), pair.predictions);
    if (!weights) return {};
    weights = ops::Reshape(s, weights, {1, -1});
  }
  const TensorShape shape({options.num_thresholds});
  Confusion value;
  Confusion update;
  const auto count = [&](const char* name, const Output& a, const Output& b,
                         Output Confusion::*member) {
    const ops::Variable sum = Local(block, name, shape);
    if (!sum) return;
    Output hits = Float(s, ops::LogicalAnd(s, a, b));
    if (weights) hits = ops::Mul(s, hits, weights);
    value.*member = sum;
    update.*member = sum.AssignAdd(s, ops::Sum(s, hits, {1}));
  };
  count("true_positives", is, said, &Confusion::true_positives);
  count("false_negatives", is, not_said, &Confusion::false_negatives);
  count("true_negatives", is_not, not_said, &Confusion::true_negatives);
  count("false_positives", is_not, said, &Confusion::false_positives);
  if (!value.false_positives || !update.false_positives) return {};
  return {ops::Identity(s.WithOpName("value"), Area(s, value, options)),
          ops::Identity(s.WithOpName("update_op"), Area(s, update, options))};
}

}  // namespace millrace::train
