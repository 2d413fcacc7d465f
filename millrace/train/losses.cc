#include "millrace/train/losses.h"

#include <vector>

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/ops.h"
#include "millrace/train/matching_shapes.h"
#include "millrace/train/sum_of_all.h"

namespace millrace::train {
namespace {

Output AsType(const Scope& scope, const Output& x, DataType type) {
  return x && x.dtype() != type ? ops::Cast(scope, x, type) : x;
}

// Returns the options that all losses have.
template <class Options>
LossOptions Common(const Options& options) {
  return {.weights = options.weights,
          .reduction = options.reduction,
          .collection = options.collection};
}

// Implements the losses of pairs of elements, given the formula `F`.
template <class F>
Output Elementwise(const Scope& scope, const char* name, const Output& labels,
                   const Output& predictions, const LossOptions& options,
                   F losses) {
  const Scope block = scope.BlockFor(name);
  if (!labels || !predictions) return {};
  const Status fits = CheckShapes(labels.shape(), predictions.shape());
  if (!fits.ok()) {
    block.Fail(fits, "loss");
    return {};
  }
  return WeightedLoss(
      block,
      losses(block, AsType(block, labels, predictions.dtype()), predictions),
      options);
}

}  // namespace

Output WeightedLoss(const Scope& scope, const Output& losses,
                    const LossOptions& options) {
  const Scope s = scope.BlockFor("weighted_loss");
  if (!losses) return {};
  // Sums are computed in float, as elsewhere, or in double.
  const DataType given = losses.dtype();
  const DataType type =
      given == DataType::kDouble ? DataType::kDouble : DataType::kFloat;
  const Output weights =
      options.weights.is_literal()
          ? ops::Const(s.WithOpName("Const"), options.weights.literal(), type)
          : AsType(s, options.weights.output(), type);
  if (!weights) return {};
  const Status fits = CheckWeights(weights.shape(), losses.shape());
  if (!fits.ok()) {
    s.Fail(fits, "weighted_loss");
    return {};
  }
  const Output weighted = ops::Mul(s, AsType(s, losses, type), weights);
  Output loss = weighted;
  if (options.reduction != Reduction::kNone) loss = SumOfAll(s, weighted);
  const auto spread = [&](const Output& x) {
    return ops::Mul(s, ops::OnesLike(s, weighted), x);
  };
  switch (options.reduction) {
    case Reduction::kNone:
    case Reduction::kSum:
      break;
    case Reduction::kMean:
      loss = ops::DivNoNan(s, loss, SumOfAll(s, spread(weights)));
      break;
    case Reduction::kSumOverBatchSize:
      loss = ops::DivNoNan(s, loss, ops::Cast(s, SizeOf(s, weighted), type));
      break;
    case Reduction::kSumByNonzeroWeights: {
      const Output present = ops::Cast(s, ops::NotEqual(s, weights, 0.0), type);
      loss = ops::DivNoNan(s.WithOpName("value"), loss,
                           SumOfAll(s, spread(present)));
      break;
    }
  }
  loss = AsType(s, loss, given);
  if (loss && !options.collection.empty()) {
    scope.graph().AddToCollection(options.collection, loss);
  }
  return loss;
}

Output AbsoluteDifference(const Scope& scope, const Output& labels,
                          const Output& predictions,
                          const LossOptions& options) {
  return Elementwise(scope, "absolute_difference", labels, predictions, options,
                     [](const Scope& s, const Output& y, const Output& p) {
                       return ops::Abs(s, ops::Sub(s, p, y));
                     });
}

Output MeanSquaredError(const Scope& scope, const Output& labels,
                        const Output& predictions, const LossOptions& options) {
  return Elementwise(scope, "mean_squared_error", labels, predictions, options,
                     [](const Scope& s, const Output& y, const Output& p) {
                       return ops::SquaredDifference(s, p, y);
                     });
}

Output HuberLoss(const Scope& scope, const Output& labels,
                 const Output& predictions, const HuberLossOptions& options) {
  const double delta = options.delta;
  return Elementwise(scope, "huber_loss", labels, predictions, Common(options),
                     [&](const Scope& s, const Output& y, const Output& p) {
                       const Output error = ops::Abs(s, ops::Sub(s, p, y));
                       const Output quadratic = ops::Minimum(s, error, delta);
                       const Output linear = ops::Sub(s, error, quadratic);
                       return ops::AddV2(
                           s,
                           ops::Mul(s, ops::Mul(s, quadratic, quadratic), 0.5),
                           ops::Mul(s, linear, delta));
                     });
}

Output HingeLoss(const Scope& scope, const Output& labels, const Output& logits,
                 const LossOptions& options) {
  return Elementwise(
      scope, "hinge_loss", labels, logits, options,
      [](const Scope& s, const Output& y, const Output& x) {
        const Output sign = ops::Sub(s, ops::Mul(s, y, 2.0), 1.0);
        return ops::Relu(s, ops::Sub(s, 1.0, ops::Mul(s, sign, x)));
      });
}

Output LogLoss(const Scope& scope, const Output& labels,
               const Output& predictions, const LogLossOptions& options) {
  const double epsilon = options.epsilon;
  return Elementwise(
      scope, "log_loss", labels, predictions, Common(options),
      [&](const Scope& s, const Output& y, const Output& p) {
        const Output yes =
            ops::Mul(s, y, ops::Log(s, ops::AddV2(s, p, epsilon)));
        const Output no =
            ops::Mul(s, ops::Sub(s, 1.0, y),
                     ops::Log(s, ops::AddV2(s, ops::Sub(s, 1.0, p), epsilon)));
        return ops::Sub(s, ops::Neg(s, yes), no);
      });
}

Output CosineDistance(const Scope& scope, const Output& labels,
                      const Output& predictions, int axis,
                      const LossOptions& options) {
  return Elementwise(
      scope, "cosine_distance_loss", labels, predictions, options,
      [&](const Scope& s, const Output& y, const Output& p) {
        return ops::Sub(
            s, 1.0,
            ops::Sum(s, ops::Mul(s, p, y), {axis}, {.keep_dims = true}));
      });
}

Output SigmoidCrossEntropyWithLogits(const Scope& scope, const Output& labels,
                                     const Output& logits) {
  const Scope s = scope.BlockFor("logistic_loss");
  const Output zeros = ops::ZerosLike(s, logits);
  const Output positive = ops::GreaterEqual(s, logits, zeros);
  // Selects, so that the derivative at 0 is that of the formula.
  const Output relu = ops::SelectV2(s, positive, logits, zeros);
  const Output falling =
      ops::SelectV2(s, positive, ops::Neg(s, logits), logits);
  return ops::AddV2(s, ops::Sub(s, relu, ops::Mul(s, logits, labels)),
                    ops::Log1p(s, ops::Exp(s, falling)));
}

Output SigmoidCrossEntropy(const Scope& scope, const Output& labels,
                           const Output& logits,
                           const CrossEntropyOptions& options) {
  const double label_smoothing = options.label_smoothing;
  return Elementwise(
      scope, "sigmoid_cross_entropy_loss", labels, logits, Common(options),
      [&](const Scope& s, const Output& y, const Output& x) {
        const Output smooth =
            label_smoothing == 0
                ? y
                : ops::AddV2(s, ops::Mul(s, y, 1 - label_smoothing),
                             0.5 * label_smoothing);
        return SigmoidCrossEntropyWithLogits(s, smooth, x);
      });
}

Output SoftmaxCrossEntropy(const Scope& scope, const Output& one_hot_labels,
                           const Output& logits,
                           const CrossEntropyOptions& options) {
  const double label_smoothing = options.label_smoothing;
  return Elementwise(
      scope, "softmax_cross_entropy_loss", one_hot_labels, logits,
      Common(options),
      [&](const Scope& s, const Output& y, const Output& x) -> Output {
        Output smooth = y;
        if (label_smoothing != 0) {
          const PartialShape shape = y.shape();
          const Output classes =
              ops::Cast(s, Element(s, ShapeOf(s, y), 1), y.dtype());
          if (!shape.known_rank() || shape.rank() != 2) {
            s.Fail(InvalidArgument("label smoothing needs labels [batch, "
                                   "classes], got ",
                                   shape.DebugString()),
                   "softmax_cross_entropy_loss");
            return {};
          }
          smooth = ops::AddV2(s, ops::Mul(s, y, 1 - label_smoothing),
                              ops::RealDiv(s, label_smoothing, classes));
        }
        return ops::SoftmaxCrossEntropyWithLogits(s, x,
                                                  ops::StopGradient(s, smooth))
            .loss;
      });
}

Output SparseSoftmaxCrossEntropy(const Scope& scope, const Output& labels,
                                 const Output& logits,
                                 const LossOptions& options) {
  const Scope s = scope.BlockFor("sparse_softmax_cross_entropy_loss");
  if (!labels || !logits) return {};
  const PartialShape shape = logits.shape();
  if (!shape.known_rank() || shape.rank() < 1) {
    s.Fail(InvalidArgument("logits need a dimension of classes, got ",
                           shape.DebugString()),
           "sparse_softmax_cross_entropy_loss");
    return {};
  }
  if (shape.rank() == 2) {
    return WeightedLoss(
        s, ops::SparseSoftmaxCrossEntropyWithLogits(s, logits, labels).loss,
        options);
  }
  const Output classes = Part(s, ShapeOf(s, logits), shape.rank() - 1, kToEnd);
  const Output rows = ops::Reshape(
      s, logits, ops::ConcatV2(s, {ops::Const(s, {-1}), classes}, 0));
  const Output loss = ops::SparseSoftmaxCrossEntropyWithLogits(
                          s, rows, ops::Reshape(s, labels, {-1}))
                          .loss;
  return WeightedLoss(s, ops::Reshape(s, loss, ShapeOf(s, labels)), options);
}

Output TotalLoss(const Scope& scope, const TotalLossOptions& options) {
  std::vector<Output> losses =
      scope.graph().Collection<Output>(graph_keys::kLosses);
  if (options.add_regularization_losses) {
    for (const Output& loss :
         scope.graph().Collection<Output>(graph_keys::kRegularizationLosses)) {
      losses.push_back(loss);
    }
  }
  if (losses.empty()) return {};
  return ops::AddN(scope.WithOpName("total_loss"), losses);
}

}  // namespace millrace::train
