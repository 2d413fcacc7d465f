// Metrics: figures over many steps, kept in local variables.
//
//   const Metric accuracy = Accuracy(variables, labels, predictions);
//   session.RunTargets({ops::LocalVariablesInitializer(scope)});
//   for (...) session.Run({accuracy.update});
//   session.Run({accuracy.value});
//
// Variables are float, in graph_keys::kLocalVariables and kMetricVariables, and
// called by the metric ("accuracy/total", "accuracy/count"): all replicas that
// build the same graph on the same servers share them, below a
// ReplicaDeviceSetter too (replica_device_setter.h says how not to). Names and
// formulas are TensorFlow's.
//
// Labels and predictions have the same shape, weights that of the values or one
// that a loss takes (losses.h), null: ones. Where the ranks differ by one, a
// last dimension of size 1 is left out, or added to the weights. What does not
// fit is INVALID_ARGUMENT: an error of the graph if it shows there, of weights
// also of the step.
#pragma once

#include <string>

#include "millrace/client/variables/variable_scope.h"

namespace millrace::train {

struct Metric {
  Output value;   // of the steps so far
  Output update;  // takes this step in; the value after it
};

struct MetricOptions {
  Output weights;
  std::string name;  // of its variables' block; empty: the metric's, unique
};

// The mean of all values (of any shape, numbers or bool).
Metric Mean(const VariableScope& variables, const Output& values,
            const MetricOptions& options = {});
// The part of predictions that equal their labels, as values of the labels'
// type.
Metric Accuracy(const VariableScope& variables, const Output& labels,
                const Output& predictions, const MetricOptions& options = {});
// Of what is predicted to be true (not 0), the part that is; 0 of nothing.
Metric Precision(const VariableScope& variables, const Output& labels,
                 const Output& predictions, const MetricOptions& options = {});
// Of what is true (not 0), the part that is predicted so; 0 of nothing.
Metric Recall(const VariableScope& variables, const Output& labels,
              const Output& predictions, const MetricOptions& options = {});

struct AucOptions {
  Output weights;
  int num_thresholds = 200;  // above 2
  enum Curve { kRoc, kPr } curve = kRoc;
  enum Summation {
    kTrapezoidal,
    kMinoring,
    kMajoring
  } summation = kTrapezoidal;
  std::string name;
};
// The area under the curve of true over false positives, or of precision over
// recall, of predictions in [0, 1], by sums at evenly spread thresholds.
Metric Auc(const VariableScope& variables, const Output& labels,
           const Output& predictions, const AucOptions& options = {});

}  // namespace millrace::train
