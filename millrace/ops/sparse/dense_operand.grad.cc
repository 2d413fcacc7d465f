#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/sparse/ratio.grad.h"

namespace millrace::ops {
namespace {

constexpr DataType kInt64 = DataType::kInt64;

// The dense operand with the rank of the sparse one, and the index of each
// entry's element in it.
struct DenseElements {
  Output shape;  // of the dense operand, padded with ones in front
  Output places;
  Output values;
};
DenseElements Elements(GradContext& g) {
  const Output sparse_shape = g.in(2);
  const Output dense_shape = ShapeOf(g, g.in(3), kInt64);
  const Output added = Sub(g, Size(g, sparse_shape), Size(g, dense_shape));
  DenseElements e;
  e.shape = ConcatV2(
      g, {Fill(g, ExpandDims(g, added, 0), Const(g, 1, kInt64)), dense_shape},
      0);
  // Divides by the number of sparse coordinates that share an element along
  // each dimension.
  e.places = FloorDiv(g, g.in(0), Ratio(g, sparse_shape, e.shape));
  e.values = GatherNd(g, Reshape(g, g.in(3), e.shape), e.places);
  return e;
}

void SetDense(GradContext& g, const DenseElements& e, const Output& dy) {
  g.Set(3, ReshapeLike(g, ScatterNd(g, e.places, dy, e.shape), g.in(3)));
}

}  // namespace

MR_GRADIENT(SparseTensorDenseAdd)(GradContext& g) {
  g.Set(1, GatherNd(g, g.dy(), g.in(0)));
  g.Set(3, g.dy());
}

MR_GRADIENT(SparseDenseCwiseAdd)(GradContext& g) {
  const DenseElements e = Elements(g);
  g.Set(1, g.dy());
  SetDense(g, e, g.dy());
}
MR_GRADIENT(SparseDenseCwiseMul)(GradContext& g) {
  const DenseElements e = Elements(g);
  g.Set(1, Mul(g, g.dy(), e.values));
  SetDense(g, e, Mul(g, g.dy(), g.in(1)));
}
MR_GRADIENT(SparseDenseCwiseDiv)(GradContext& g) {
  const DenseElements e = Elements(g);
  g.Set(1, RealDiv(g, g.dy(), e.values));
  SetDense(g, e,
           Mul(g, g.dy(), RealDiv(g, Neg(g, g.in(1)), Square(g, e.values))));
}

}  // namespace millrace::ops
