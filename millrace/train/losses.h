// Losses: measure the distance of predictions from labels.
//
//   Output loss = SparseSoftmaxCrossEntropy(scope, labels, logits);
//   ... SoftmaxCrossEntropy(scope, one_hot, logits, {.weights = per_example})
//   ...
//
// Each returns a scalar (with kNone the weighted losses, in their shape) of the
// type of the predictions, and adds it to the collection graph_keys::kLosses.
// Labels and predictions have the same shape and type unless said otherwise.
// `weights` are a number, or have the rank of the losses and in each dimension
// their size or 1; a mismatch is INVALID_ARGUMENT, an error of the graph. Names
// and formulas are TensorFlow's.
#pragma once

#include <string>

#include "millrace/client/graph_keys.h"
#include "millrace/client/input.h"
#include "millrace/client/scope.h"

namespace millrace::train {

enum class Reduction {
  kNone,
  kSum,
  kMean,                 // divided by the sum of the weights
  kSumOverBatchSize,     // divided by the number of losses
  kSumByNonzeroWeights,  // divided by the number of those with a nonzero weight
};

struct LossOptions {
  Input weights = 1.0;
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  std::string collection = graph_keys::kLosses;  // empty: none
};

// Weights and reduces losses of any shape.
Output WeightedLoss(const Scope& scope, const Output& losses,
                    const LossOptions& options = {});

// |predictions - labels|
Output AbsoluteDifference(const Scope& scope, const Output& labels,
                          const Output& predictions,
                          const LossOptions& options = {});
// (predictions - labels)^2
Output MeanSquaredError(const Scope& scope, const Output& labels,
                        const Output& predictions,
                        const LossOptions& options = {});

// The options of losses with a parameter begin with it and go on with those of
// all losses, which are fields here too, so that one pair of braces names both.
struct HuberLossOptions {
  double delta = 1;
  Input weights = 1.0;
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  std::string collection = graph_keys::kLosses;
};
// Quadratic up to `delta`, then linear (Huber, "Robust estimation of a location
// parameter", 1964).
Output HuberLoss(const Scope& scope, const Output& labels,
                 const Output& predictions,
                 const HuberLossOptions& options = {});
// max(0, 1 - logits * (2 * labels - 1)), for labels 0 and 1.
Output HingeLoss(const Scope& scope, const Output& labels, const Output& logits,
                 const LossOptions& options = {});

struct LogLossOptions {
  double epsilon = 1e-7;
  Input weights = 1.0;
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  std::string collection = graph_keys::kLosses;
};
// -labels * log(predictions) - (1 - labels) * log(1 - predictions), each with
// `epsilon` added inside the logarithm.
Output LogLoss(const Scope& scope, const Output& labels,
               const Output& predictions, const LogLossOptions& options = {});
// 1 - the dot products along `axis`, which is kept with size 1. The vectors
// must have length 1 already.
Output CosineDistance(const Scope& scope, const Output& labels,
                      const Output& predictions, int axis,
                      const LossOptions& options = {});

struct CrossEntropyOptions {
  double label_smoothing = 0;
  Input weights = 1.0;
  Reduction reduction = Reduction::kSumByNonzeroWeights;
  std::string collection = graph_keys::kLosses;
};
// For independent classes: labels in [0, 1], moved towards 1/2 by
// label_smoothing.
Output SigmoidCrossEntropy(const Scope& scope, const Output& labels,
                           const Output& logits,
                           const CrossEntropyOptions& options = {});
// For mutually exclusive classes: labels [batch, classes] that sum to 1, moved
// towards 1 / classes by label_smoothing; one loss per row. No gradient flows
// back through the labels.
Output SoftmaxCrossEntropy(const Scope& scope, const Output& one_hot_labels,
                           const Output& logits,
                           const CrossEntropyOptions& options = {});
// Labels [...] are class indices, int32 or int64, logits [..., classes].
Output SparseSoftmaxCrossEntropy(const Scope& scope, const Output& labels,
                                 const Output& logits,
                                 const LossOptions& options = {});

// max(x, 0) - x * labels + log(1 + e^-|x|), elementwise, without overflow.
Output SigmoidCrossEntropyWithLogits(const Scope& scope, const Output& labels,
                                     const Output& logits);

struct TotalLossOptions {
  bool add_regularization_losses = true;
};
// Returns the sum of the graph's losses and, if requested, regularization
// losses; null if there are none.
Output TotalLoss(const Scope& scope, const TotalLossOptions& options = {});

}  // namespace millrace::train
