// Gradients of reductions.
#include <algorithm>

#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Returns a result or its gradient with the reduced dimensions kept, with size
// 1.
Output Kept(GradContext& g, const Output& reduced) {
  if (g.Attr<bool>("keep_dims")) return reduced;
  return Reshape(g, reduced, KeptShape(g, g.in(0), g.in(1)));
}

Output Spread(GradContext& g, const Output& kept) {
  return BroadcastTo(g, kept, ShapeOf(g, g.in(0)));
}

// Divides the gradient evenly among the elements that are the extreme.
void ExtremeGradient(GradContext& g) {
  const Output y = Kept(g, g.out());
  const Output dy = Kept(g, g.dy());
  const Output chosen = Cast(g, Equal(g, y, g.in(0)), dy.dtype());
  const Output count = Sum(g, chosen, g.in(1), {.keep_dims = true});
  g.Set(0, Mul(g, chosen, RealDiv(g, dy, count)));
}

}  // namespace

MR_GRADIENT(Sum)(GradContext& g) { g.Set(0, Spread(g, Kept(g, g.dy()))); }

MR_GRADIENT(Mean)(GradContext& g) {
  const Output sum = Spread(g, Kept(g, g.dy()));
  const PartialShape in = g.in(0).shape();
  const PartialShape out = g.out().shape();
  if (in.IsFullyDefined() && out.IsFullyDefined()) {
    const int64_t factor =
        in.num_elements() / std::max<int64_t>(out.num_elements(), 1);
    g.Set(0, RealDiv(g, sum, NumberLike(g, sum, static_cast<double>(factor))));
    return;
  }
  const Output factor =
      FloorDiv(g, SizeOf(g, g.in(0), DataType::kInt64),
               Maximum(g, SizeOf(g, g.out(), DataType::kInt64), int64_t{1}));
  g.Set(0, RealDiv(g, sum, Cast(g, factor, sum.dtype())));
}

// Multiplies all other elements by products from both sides, since a division
// would fail at zeros.
MR_GRADIENT(Prod)(GradContext& g) {
  const Output x = g.in(0);
  const Output dy = Spread(g, Kept(g, g.dy()));
  const Output shape = ShapeOf(g, x);
  const Output rank = RankOf(g, x);
  const Output axes = Cast(g, Reshape(g, g.in(1), {-1}), DataType::kInt32);
  const Output reduced = FloorMod(g, AddV2(g, axes, rank), rank);
  const Output others = ListDiff(g, Range(g, 0, rank, 1), reduced).out;
  const Output order = ConcatV2(g, {reduced, others}, 0);
  const Output num_reduced = Prod(g, GatherV2(g, shape, reduced, 0), {0});
  const Output num_others = Prod(g, GatherV2(g, shape, others, 0), {0});
  const Output transposed = Transpose(g, x, order);
  const Output rows =
      Reshape(g, transposed, Pack(g, {num_reduced, num_others}));
  const Output before = Cumprod(g, rows, 0, {.exclusive = true});
  const Output after =
      Cumprod(g, rows, 0, {.exclusive = true, .reverse = true});
  const Output rest = Reshape(g, Mul(g, ConjOf(g, before), ConjOf(g, after)),
                              Shape(g, transposed));
  const Output dx = Mul(g, dy, Transpose(g, rest, InvertPermutation(g, order)));
  g.Set(0, Reshape(g, dx, shape));
}

MR_GRADIENT(Max)(GradContext& g) { ExtremeGradient(g); }
MR_GRADIENT(Min)(GradContext& g) { ExtremeGradient(g); }
MR_GRADIENT(EuclideanNorm)(GradContext& g) {
  g.Set(0, RealDiv(g, g.in(0), RealDiv(g, Kept(g, g.out()), Kept(g, g.dy()))));
}

}  // namespace millrace::ops
