#include "millrace/train/matching_shapes.h"

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

bool MayBe(int64_t dim, int64_t size) {
  return dim == size || dim == kUnknownDim;
}

// Returns `x` with the rank of `like`, if they differ only by one additional
// last dimension or, with `may_grow`, by a missing one.
Output WithRankOf(const Scope& s, const Output& x, const Output& like,
                  bool may_grow) {
  const PartialShape shape = x.shape();
  if (shape.known_rank() && shape.rank() == 0) return x;
  const bool may_shrink =
      !shape.known_rank() || MayBe(shape.dim(shape.rank() - 1), 1);
  if (shape.known_rank() && like.shape().known_rank()) {
    const int more = shape.rank() - like.shape().rank();
    if (more == 1 && may_shrink) {
      return ops::Squeeze(s, x, {.squeeze_dims = {-1}});
    }
    return more == -1 && may_grow ? ops::ExpandDims(s, x, -1) : x;
  }
  const Output more = ops::Sub(s, RankOf(s, x), RankOf(s, like));
  const auto one_if = [&](int32_t difference) {
    return ops::Reshape(
        s, ops::Cast(s, ops::Equal(s, more, difference), DataType::kInt32),
        {1});
  };
  Output sizes = ShapeOf(s, x);
  if (may_shrink) {
    const Output kept =
        ops::Sub(s, ops::Reshape(s, RankOf(s, x), {1}), one_if(1));
    sizes = ops::Slice(s, sizes, {0}, kept);
  }
  if (may_grow) {
    sizes = ops::ConcatV2(s, {sizes, ops::Fill(s, one_if(-1), 1)}, 0);
  }
  return ops::Reshape(s, x, sizes);
}

}  // namespace

Status CheckShapes(const PartialShape& labels,
                   const PartialShape& predictions) {
  if (labels.Merge(predictions).ok()) return OkStatus();
  return InvalidArgument("Shapes ", predictions.DebugString(),
                         " of the predictions and ", labels.DebugString(),
                         " of the labels are incompatible");
}

Status CheckWeights(const PartialShape& weights, const PartialShape& values) {
  if (!weights.known_rank() || weights.rank() == 0 || !values.known_rank()) {
    return OkStatus();
  }
  bool fits = weights.rank() == values.rank();
  for (int d = 0; fits && d < values.rank(); ++d) {
    fits = MayBe(weights.dim(d), 1) || MayBe(values.dim(d), weights.dim(d));
  }
  if (fits) return OkStatus();
  return InvalidArgument(
      "weights can not be broadcast to values. values.shape=",
      values.DebugString(), ". weights.shape=", weights.DebugString(), ".");
}

Output SqueezedLike(const Scope& scope, const Output& x, const Output& like) {
  return WithRankOf(scope, x, like, /*may_grow=*/false);
}

Output WeightsOf(const Scope& scope, const Output& weights,
                 const Output& values) {
  const Output w = WithRankOf(scope, weights, values, /*may_grow=*/true);
  if (!w) return {};
  const Status fits = CheckWeights(w.shape(), values.shape());
  if (!fits.ok()) {
    scope.Fail(fits, "weights");
    return {};
  }
  const PartialShape shape = w.shape();
  if (shape.IsFullyDefined() && shape == values.shape()) return w;
  return ops::BroadcastTo(scope, w, ShapeOf(scope, values));
}

}  // namespace millrace::train
