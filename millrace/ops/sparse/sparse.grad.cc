// Gradients of ops on sparse tensors: they go to values, never to coordinates.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

constexpr DataType kInt64 = DataType::kInt64;

// Column i of a matrix.
Output Column(GradContext& g, const Output& matrix, int i) {
  return StridedSlice(g, matrix, {0, i}, {0, i + 1}, {1, 1},
                      {.begin_mask = 1, .end_mask = 1, .shrink_axis_mask = 2});
}

// Sizes over sizes, of which some may be 0: there are no entries then.
Output Ratio(GradContext& g, const Output& a, const Output& b) {
  return Maximum(g, FloorDiv(g, a, Maximum(g, b, 1)), 1);
}

// The dense operand of a sparse one, with as many dimensions, and where each
// entry finds its element there.
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
  // How many sparse coordinates share an element along each dimension.
  e.places = FloorDiv(g, g.in(0), Ratio(g, sparse_shape, e.shape));
  e.values = GatherNd(g, Reshape(g, g.in(3), e.shape), e.places);
  return e;
}

void SetDense(GradContext& g, const DenseElements& e, const Output& dy) {
  g.Set(3, ReshapeLike(g, ScatterNd(g, e.places, dy, e.shape), g.in(3)));
}

// An error in stock, too.
void FailToChoose(GradContext& g) {
  g.Fail(Unimplemented("Gradient for ", g.op().type(),
                       " is not implemented; SparseAdd has one"));
}

}  // namespace

MR_GRADIENT(SparseToDense)(GradContext& g) {
  Output indices = g.in(0);
  if (indices.shape().known_rank() && indices.shape().rank() < 2) {
    indices = Reshape(g, indices, {-1, 1});
  }
  const Output values = GatherNd(g, g.dy(), indices);
  const Output taken = Sum(g, values, 0);
  const bool one_value =
      g.in(2).shape().known_rank() && g.in(2).shape().rank() == 0;
  g.Set(2, one_value ? taken : values);
  g.Set(3, Sub(g, Sum(g, g.dy(), Range(g, 0, RankOf(g, g.dy()), 1)), taken));
}

MR_GRADIENT(SparseFillEmptyRows)(GradContext& g) {
  const auto d = SparseFillEmptyRowsGrad(g, g.out(3), g.dy(1));
  g.Set(1, d.d_values);
  g.Set(3, d.d_default_value);
}

MR_GRADIENT(SparseReorder)(GradContext& g) {
  const Output entries = Range(g, 0, Element(g, ShapeOf(g, g.in(0)), 0), 1);
  const auto ordered = SparseReorder(g, g.in(0), entries, g.in(2));
  g.Set(1,
        GatherV2(g, g.dy(1), InvertPermutation(g, ordered.output_values), 0));
}

MR_GRADIENT(SparseTensorDenseMatMul)(GradContext& g) {
  const bool adjoint_a = g.Attr<bool>("adjoint_a");
  const bool adjoint_b = g.Attr<bool>("adjoint_b");
  const Output dy = g.dy();
  const Output b = g.in(3);
  Output db = SparseTensorDenseMatMul(g, g.in(0), g.in(1), g.in(2), dy,
                                      {.adjoint_a = !adjoint_a});
  if (adjoint_b) db = ConjugateTranspose(g, db, {1, 0});
  g.Set(3, db);
  const Output rows = Column(g, g.in(0), 0);
  const Output columns = Column(g, g.in(0), 1);
  const Output left = GatherV2(g, dy, adjoint_a ? columns : rows, 0);
  const Output right =
      GatherV2(g, adjoint_b ? Transpose(g, b, {1, 0}) : ConjOf(g, b),
               adjoint_a ? rows : columns, 0);
  const Output da = Sum(g, Mul(g, left, right), 1);
  g.Set(1, adjoint_a ? ConjOf(g, da) : da);
}

MR_GRADIENT(SparseReduceSum)(GradContext& g) {
  const Output shape = g.in(2);
  const Output rank = Size(g, shape);
  const Output axes =
      Reshape(g, FloorMod(g, Add(g, g.in(3), rank), rank), {-1});
  // The input's shape with ones in place of the reduced sizes.
  const Output kept =
      DynamicStitch(g, {Range(g, 0, rank, 1), axes},
                    {shape, Fill(g, ShapeOf(g, axes), Const(g, 1, kInt64))});
  const Output dy = Reshape(g, g.dy(), kept);
  g.Set(1, GatherNd(g, dy, FloorDiv(g, g.in(0), Ratio(g, shape, kept))));
}

MR_GRADIENT(SparseSlice)(GradContext& g) {
  g.Set(1, SparseSliceGrad(g, g.dy(1), g.in(0), g.in(3), g.out(0)));
}

MR_GRADIENT(SparseAdd)(GradContext& g) {
  const auto d = SparseAddGrad(g, g.dy(1), g.in(0), g.in(3), g.out(0));
  g.Set(1, d.a_val_grad);
  g.Set(4, d.b_val_grad);
}

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

// Entries that are not in row-major order would give values in another order
// than the inputs'; as in stock, they are taken to be in it.
MR_GRADIENT(SparseSoftmax)(GradContext& g) {
  const Output y = g.out();
  const Output sums = SparseReduceSum(g, g.in(0), Mul(g, g.dy(), y), g.in(2),
                                      {-1}, {.keep_dims = true});
  const Output difference =
      SparseDenseCwiseAdd(g, g.in(0), g.dy(), g.in(2), Neg(g, sums));
  g.Set(1, Mul(g, difference, y));
}

MR_GRADIENT(SparseSparseMaximum)(GradContext& g) { FailToChoose(g); }
MR_GRADIENT(SparseSparseMinimum)(GradContext& g) { FailToChoose(g); }

MR_NO_GRADIENT(SparseConcat);
MR_NO_GRADIENT(SparseAddGrad);

}  // namespace millrace::ops
