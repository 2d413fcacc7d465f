#include "millrace/train/optimizers/clip_gradients.h"

#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

// Returns the values of a gradient.
const Output& ValuesOf(const Gradient& gradient) {
  return gradient.is_slices() ? gradient.slices.values : gradient.tensor;
}

Gradient WithValues(const Gradient& gradient, const Output& values) {
  if (!gradient.is_slices()) return values;
  IndexedSlices slices = gradient.slices;
  slices.values = values;
  return slices;
}

// Converts the value to `type`.
Output Number(const Scope& scope, const Input& value, DataType type) {
  if (value.is_literal()) return ops::Const(scope, value.literal(), type);
  if (value.output().dtype() == type) return value.output();
  return ops::Cast(scope, value.output(), type);
}

Output AllAxes(const Scope& scope, const Output& x) {
  return ops::Range(scope, 0, ops::Rank(scope, x), 1);
}

}  // namespace

Gradient ClipByValue(const Scope& scope, const Gradient& gradient,
                     const Input& min, const Input& max) {
  if (!gradient) return {};
  const Scope block = scope.BlockFor("clip_by_value");
  const Output& values = ValuesOf(gradient);
  const DataType type = values.dtype();
  const Output below = ops::Minimum(block, values, Number(block, max, type));
  return WithValues(gradient, ops::Maximum(block.WithOpName(block.name()),
                                           below, Number(block, min, type)));
}

Gradient ClipByNorm(const Scope& scope, const Gradient& gradient,
                    const Input& clip_norm, const ClipByNormOptions& options) {
  if (!gradient) return {};
  const Scope block = scope.BlockFor("clip_by_norm");
  const Output& values = ValuesOf(gradient);
  const Output limit = Number(block, clip_norm, values.dtype());
  const Output squares =
      ops::Sum(block, ops::Mul(block, values, values),
               options.axes.empty() ? AllAxes(block, values)
                                    : ops::Const(block, options.axes),
               {.keep_dims = true});
  // The root's derivative at 0 is infinite: both branches of a select are
  // differentiated, so the root must not see the 0.
  const Output some = ops::Greater(block, squares, 0);
  const Output safe =
      ops::SelectV2(block, some, squares, ops::OnesLike(block, squares));
  const Output norm =
      ops::SelectV2(block, some, ops::Sqrt(block, safe), squares);
  const Output clipped = ops::RealDiv(block.WithOpName(block.name()),
                                      ops::Mul(block, values, limit),
                                      ops::Maximum(block, norm, limit));
  if (clipped) {
    clipped.graph()->MergeShape(clipped, values.shape()).IgnoreError();
  }
  return WithValues(gradient, clipped);
}

Gradient ClipByAverageNorm(const Scope& scope, const Gradient& gradient,
                           const Input& clip_norm) {
  if (!gradient) return {};
  const Scope block = scope.BlockFor("clip_by_average_norm");
  const Output& values = ValuesOf(gradient);
  const DataType type = values.dtype();
  const Output limit = Number(block, clip_norm, type);
  const Output count = ops::Cast(block, ops::Size(block, values), type);
  const Output inverse = ops::Rsqrt(
      block,
      ops::Sum(block, ops::Mul(block, values, values), AllAxes(block, values)));
  const Output scale = ops::Minimum(block, ops::Mul(block, inverse, count),
                                    ops::Reciprocal(block, limit));
  return WithValues(gradient, ops::Mul(block.WithOpName(block.name()),
                                       ops::Mul(block, values, limit), scale));
}

Output GlobalNorm(const Scope& scope, const std::vector<Gradient>& gradients) {
  const Scope block = scope.BlockFor("global_norm");
  std::vector<Output> halves;
  for (const Gradient& gradient : gradients) {
    // Placed with the gradient: only a number crosses the network.
    if (gradient) {
      halves.push_back(ops::L2Loss(block.ColocateWith(ValuesOf(gradient)),
                                   ValuesOf(gradient)));
    }
  }
  if (halves.empty()) return {};
  const Output half = ops::Sum(block, ops::Pack(block, halves), {0});
  return ops::Sqrt(block.WithOpName("global_norm"), ops::Mul(block, half, 2.0));
}

GlobalNormClip ClipByGlobalNorm(const Scope& scope,
                                const std::vector<Gradient>& gradients,
                                const Input& clip_norm,
                                const ClipByGlobalNormOptions& options) {
  GlobalNormClip result;
  result.norm =
      options.use_norm ? options.use_norm : GlobalNorm(scope, gradients);
  result.gradients = gradients;
  if (!result.norm) return result;
  const Scope block = scope.BlockFor("clip_by_global_norm");
  const Output& norm = result.norm;
  const Output limit = Number(block, clip_norm, norm.dtype());
  const Output finite =
      ops::Mul(block, limit,
               ops::Minimum(block, ops::Reciprocal(block, norm),
                            ops::Reciprocal(block, limit)));
  // 0 for finite norms, NaN for others.
  const Output scale = ops::AddV2(block, finite, ops::Sub(block, norm, norm));
  for (Gradient& gradient : result.gradients) {
    if (!gradient) continue;
    const Output& values = ValuesOf(gradient);
    const Scope beside = block.ColocateWith(values);
    gradient = WithValues(
        gradient,
        ops::Mul(beside, values, Number(beside, scale, values.dtype())));
  }
  return result;
}

}  // namespace millrace::train
