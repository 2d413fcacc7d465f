// Metrics: statistics over many steps, kept in local variables.
//
//   const Metric accuracy = Accuracy(variables, labels, predictions);
//   session.RunTargets({ops::LocalVariablesInitializer(scope)});
//   for (...) session.Run({accuracy.update});
//   session.Run({accuracy.value});
//
// Variables are float, in graph_keys::kLocalVariables and kMetricVariables, and
// named after the metric ("accuracy/total", "accuracy/count"): all replicas
// that build the same graph on the same servers share them, also below a
// ReplicaDeviceSetter (replica_device_setter.h says how to avoid that). Names
// and formulas are TensorFlow's.
//
// Labels and predictions have the same shape; weights have that of the values
// or one that a loss accepts (losses.h); null: ones. If the ranks differ by
// one, a last dimension of size 1 is removed, or added to the weights. A
// mismatch is INVALID_ARGUMENT: an error of the graph if it is known there, for
// weights otherwise of the step.
#pragma once

#include <string>

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

struct Metric {
  Output value;   // over the steps so far
  Output update;  // adds this step; the value after it
};

struct MetricOptions {
  Output weights;
  std::string name;  // of its variables' block; empty: the metric's, unique
};

// The mean of all values (of any shape, numbers or bool).
Metric Mean(const VariableScope& variables, const Output& values,
            const MetricOptions& options = {});
// The fraction of predictions that equal their labels, as values of the labels'
// type.
Metric Accuracy(const VariableScope& variables, const Output& labels,
                const Output& predictions, const MetricOptions& options = {});
// The fraction of positive predictions (not 0) that are right; 0 if there are
// none.
Metric Precision(const VariableScope& variables, const Output& labels,
                 const Output& predictions, const MetricOptions& options = {});
// The fraction of positive labels (not 0) that are predicted; 0 if there are
// none.
Metric Recall(const VariableScope& variables, const Output& labels,
              const Output& predictions, const MetricOptions& options = {});

enum class AucCurve {
  kRoc,  // true over false positives
  kPr,   // precision over recall
};
enum class AucSummation { kTrapezoidal, kMinoring, kMajoring };
struct AucOptions {
  Output weights;
  int num_thresholds = 200;  // above 2
  AucCurve curve = AucCurve::kRoc;
  AucSummation summation = AucSummation::kTrapezoidal;
  std::string name;
};
// The area under a curve of predictions in [0, 1], by Riemann sums over evenly
// spaced thresholds.
Metric Auc(const VariableScope& variables, const Output& labels,
           const Output& predictions, const AucOptions& options = {});

}  // namespace millrace::train
