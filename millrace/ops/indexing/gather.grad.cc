// Gradients of lookups: rows of the table that were not looked up cost nothing.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Sets the gradient of a lookup along dimension 0, which is slices.
void RowsGradient(GradContext& g) {
  const Output table = g.in(0);
  const Output indices = g.in(1);
  // Stays on the table's device, so that nothing but rows is sent elsewhere.
  const Scope there = g.scope().ColocateWith(table);
  const Output shape = ops::Shape(there, table, {.out_type = DataType::kInt64});
  const Output shape32 = Cast(there, shape, DataType::kInt32);
  const Output count = ExpandDims(g, SizeOf(g, indices), 0);
  const Output values_shape =
      ConcatV2(g, {count, Part(g, shape32, 1, kToEnd)}, 0);
  g.Set(0, IndexedSlices{Reshape(g, g.dy(), values_shape),
                         Reshape(g, indices, count), shape32});
}

Output ProductOf(GradContext& g, const Output& shape, const Output& begin,
                 const Output& end) {
  return Prod(g,
              StridedSlice(g, shape, ExpandDims(g, begin, 0),
                           ExpandDims(g, end, 0), {1}),
              {0});
}

// Handles any other axis: as matrices [batch, outer, axis, inner], scattered
// along one dimension and transposed back.
void GeneralGradient(GradContext& g, int64_t batch_dims) {
  const Output shape = ShapeOf(g, g.in(0));
  const Output rank = RankOf(g, g.in(0));
  const Output axis = FloorMod(g, Cast(g, g.in(2), DataType::kInt32), rank);
  const Output indices = Cast(g, g.in(1), DataType::kInt64);
  const Output first = Const(g, batch_dims, DataType::kInt32);
  const Output after = AddV2(g, axis, 1);
  const Output batch = ProductOf(g, shape, Const(g, 0), first);
  const Output outer = ProductOf(g, shape, first, axis);
  const Output length = ProductOf(g, shape, axis, after);
  const Output inner = ProductOf(g, shape, after, rank);
  // The number of indices in a batch.
  const Output count =
      ProductOf(g, Shape(g, indices), first, RankOf(g, indices));
  const Output dy =
      Transpose(g, Reshape(g, g.dy(), Pack(g, {batch, outer, count, inner})),
                {0, 2, 1, 3});
  const Output rows =
      Reshape(g, dy, Pack(g, {Mul(g, batch, count), Mul(g, outer, inner)}));
  // The segments of batch b begin at b * length.
  const Output begins =
      Cast(g, Mul(g, Range(g, 0, batch, 1), length), DataType::kInt64);
  const Output segments =
      Reshape(g,
              AddV2(g, Reshape(g, indices, Pack(g, {batch, count})),
                    ExpandDims(g, begins, 1)),
              {-1});
  const Output sums =
      UnsortedSegmentSum(g, rows, segments, Mul(g, batch, length));
  const Output transposed =
      Transpose(g, Reshape(g, sums, Pack(g, {batch, length, outer, inner})),
                {0, 2, 1, 3});
  g.Set(0, Reshape(g, transposed, shape));
}

}  // namespace

MR_GRADIENT(Gather)(GradContext& g) { RowsGradient(g); }

MR_GRADIENT(GatherV2)(GradContext& g) {
  int64_t batch_dims = g.Attr<int64_t>("batch_dims");
  const std::optional<Tensor> axis = ConstantValue(g.in(2));
  const bool at_zero = axis && (axis->dtype() == DataType::kInt64
                                    ? axis->scalar<int64_t>() == 0
                                    : axis->dtype() == DataType::kInt32 &&
                                          axis->scalar<int32_t>() == 0);
  if (at_zero && batch_dims == 0) {
    RowsGradient(g);
    return;
  }
  if (batch_dims < 0) {
    const PartialShape indices = g.in(1).shape();
    if (!indices.known_rank()) {
      g.Fail(Unimplemented(
          "No gradient of GatherV2 with batch_dims below 0 and indices of "
          "unknown rank"));
      return;
    }
    batch_dims += indices.rank();
  }
  GeneralGradient(g, batch_dims);
}

}  // namespace millrace::ops
