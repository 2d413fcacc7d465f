#include "millrace/train/layers/batch_normalization.h"

#include "millrace/client/ops.h"
#include "millrace/train/optimizers/moving_average.h"

namespace millrace::train {
namespace {

// The variables of a layer, and the computations with them.
struct Normalizer {
  const Scope& scope;
  const BatchNormalizationOptions& options;
  int axis = 0;
  Output gamma;
  Output beta;
  ops::Variable moving_mean;
  ops::Variable moving_variance;

  void Follow(const Output& mean, const Output& variance) const;
  Output Fused(const Output& x) const;
  Output Composed(const Output& x) const;
};

// Updates the moving averages with a batch.
void Normalizer::Follow(const Output& mean, const Output& variance) const {
  for (const auto& [average, value] :
       {std::pair(&moving_mean, &mean),
        std::pair(&moving_variance, &variance)}) {
    const Output moved =
        AssignMovingAverage(scope, *average, *value, options.momentum);
    if (moved) {
      scope.graph().AddToCollection(graph_keys::kUpdateOps, moved.op());
    }
  }
}

Output Normalizer::Fused(const Output& x) const {
  const float epsilon = static_cast<float>(options.epsilon);
  if (!options.training) {
    return ops::FusedBatchNormV3(scope, x, gamma, beta, moving_mean,
                                 moving_variance,
                                 {.epsilon = epsilon, .is_training = false})
        .y;
  }
  const Output none =
      ops::Const(scope, Tensor::Zeros(DataType::kFloat, TensorShape({0})));
  const auto result =
      ops::FusedBatchNormV3(scope, x, gamma, beta, none, none,
                            {.epsilon = epsilon, .is_training = true});
  Follow(result.batch_mean, result.batch_variance);
  return result.y;
}

Output Normalizer::Composed(const Output& x) const {
  const PartialShape shape = x.shape();
  std::vector<int32_t> axes;
  std::vector<int32_t> spread(static_cast<size_t>(shape.rank()), 1);
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != axis) axes.push_back(d);
  }
  spread[static_cast<size_t>(axis)] = -1;
  Output mean = moving_mean;
  Output variance = moving_variance;
  if (options.training) {
    const Output kept = ops::Mean(scope, x, axes, {.keep_dims = true});
    mean =
        ops::Squeeze(scope, kept, {.squeeze_dims = {axes.begin(), axes.end()}});
    // No gradient flows back through this mean: it would sum to 0.
    variance = ops::Mean(
        scope, ops::SquaredDifference(scope, x, ops::StopGradient(scope, kept)),
        axes);
    Follow(mean, variance);
  }
  const auto along = [&](const Output& vector) {
    return axis == shape.rank() - 1 ? vector
                                    : ops::Reshape(scope, vector, spread);
  };
  Output factor =
      ops::Rsqrt(scope, ops::AddV2(scope, along(variance), options.epsilon));
  if (gamma) factor = ops::Mul(scope, factor, along(gamma));
  const Output offset = ops::Neg(scope, ops::Mul(scope, along(mean), factor));
  return ops::AddV2(scope, ops::Mul(scope, x, factor),
                    beta ? ops::AddV2(scope, along(beta), offset) : offset);
}

}  // namespace

Output BatchNormalization(const VariableScope& variables, const Output& x,
                          const BatchNormalizationOptions& options) {
  const VariableScope layer = options.name.empty()
                                  ? variables.UniqueSub("batch_normalization")
                                  : variables.Sub(options.name);
  const Scope& s = layer.scope();
  if (!x) return {};
  const PartialShape shape = x.shape();
  const int rank = shape.known_rank() ? shape.rank() : 0;
  const int axis = options.axis < 0 ? options.axis + rank : options.axis;
  if (rank < 2 || axis < 0 || axis >= rank || shape.dim(axis) == kUnknownDim) {
    s.Fail(InvalidArgument("BatchNormalization needs inputs of a known rank, 2 "
                           "at least, and a known size of axis ",
                           options.axis, ", found ", shape.DebugString()),
           layer.name());
    return {};
  }
  const TensorShape channels({shape.dim(axis)});
  // Statistics of 16-bit types are floats.
  const bool is_short =
      x.dtype() == DataType::kHalf || x.dtype() == DataType::kBfloat16;
  const DataType type = is_short ? DataType::kFloat : x.dtype();
  GetVariableOptions kind{.dtype = type, .trainable = options.trainable};
  const auto get = [&](const char* name, const Initializer& given,
                       const Initializer& otherwise) {
    kind.initializer = given ? given : otherwise;
    return layer.GetVariable(name, channels, kind);
  };
  Normalizer normalizer{.scope = s, .options = options, .axis = axis};
  if (options.scale) {
    normalizer.gamma = get("gamma", options.gamma_initializer, Ones());
  }
  if (options.center) {
    normalizer.beta = get("beta", options.beta_initializer, Zeros());
  }
  kind.trainable = false;  // the statistics
  normalizer.moving_mean =
      get("moving_mean", options.moving_mean_initializer, Zeros());
  normalizer.moving_variance =
      get("moving_variance", options.moving_variance_initializer, Ones());
  if (!normalizer.moving_mean || !normalizer.moving_variance) return {};
  if (options.fused && rank == 4 && axis == 3 && type == DataType::kFloat) {
    if (!normalizer.gamma)
      normalizer.gamma = Ones()(s, {channels, type, channels});
    if (!normalizer.beta)
      normalizer.beta = Zeros()(s, {channels, type, channels});
    return normalizer.Fused(x);
  }
  if (!is_short) return normalizer.Composed(x);
  return ops::Cast(s, normalizer.Composed(ops::Cast(s, x, type)), x.dtype());
}

std::vector<ControlInput> UpdateOps(const Scope& scope) {
  std::vector<ControlInput> updates;
  for (const Operation& op :
       scope.graph().Collection<Operation>(graph_keys::kUpdateOps)) {
    updates.push_back(op);
  }
  return updates;
}

}  // namespace millrace::train
