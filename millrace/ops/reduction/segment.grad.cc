// Gradients of reductions over segments of rows.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Returns [shape of `ids`, 1, 1, ...], which broadcasts a value for each row
// over all of the row.
Output RowShape(GradContext& g, const Output& ids, const Output& like) {
  const Output shape = Shape(g, ids);
  const Output ones =
      Fill(g, ExpandDims(g, Sub(g, RankOf(g, like), RankOf(g, ids)), 0), 1);
  return ConcatV2(g, {shape, ones}, 0);
}

// The rows of segments at the positions of their members. Members of no segment
// (negative numbers) get zeros.
struct Members {
  Output ids;      // at least 0
  Output belongs;  // whether it has a segment; null: all have
  Output Rows(GradContext& g, const Output& segments) const {
    const Output rows = GatherV2(g, segments, ids, 0);
    return belongs ? SelectV2(g, belongs, rows, NumberLike(g, rows, 0)) : rows;
  }
};

Members Sorted(GradContext& g) { return {g.in(1), {}}; }

Members Unsorted(GradContext& g) {
  const Output ids = g.in(1);
  const Output at_least_zero = Maximum(g, ids, ZerosLike(g, ids));
  const Output mask = GreaterEqual(g, ids, ZerosLike(g, ids));
  return {at_least_zero, Reshape(g, mask, RowShape(g, ids, g.in(0)))};
}

// Returns the segment sum of the same kind as the op.
Output SegmentSumLike(GradContext& g, const Output& data) {
  if (g.num_inputs() == 2) return SegmentSum(g, data, g.in(1));
  return UnsortedSegmentSum(g, data, g.in(1), g.in(2));
}
Output SegmentProdLike(GradContext& g, const Output& data) {
  if (g.num_inputs() == 2) return SegmentProd(g, data, g.in(1));
  return UnsortedSegmentProd(g, data, g.in(1), g.in(2));
}

// Divides the gradient evenly among the members that are the extreme.
void SegmentExtreme(GradContext& g, const Members& members) {
  Output chosen = Equal(g, g.in(0), members.Rows(g, g.out()));
  if (members.belongs) chosen = LogicalAnd(g, chosen, members.belongs);
  const Output count = SegmentSumLike(g, Cast(g, chosen, g.dy().dtype()));
  const Output rows = members.Rows(g, RealDiv(g, g.dy(), count));
  g.Set(0, SelectV2(g, chosen, rows, NumberLike(g, rows, 0)));
}

// Sets the product of the other members: with one zero, only that one has a
// gradient; with two, none has.
void SegmentProduct(GradContext& g, const Members& members) {
  const Output x = g.in(0);
  const Output is_zero = Equal(g, x, 0);
  const Output zeros = SegmentSumLike(g, Cast(g, is_zero, DataType::kInt32));
  const Output dy =
      SelectV2(g, Greater(g, zeros, 1), ZerosLike(g, g.dy()), g.dy());
  const Output no_zeros = SelectV2(g, is_zero, OnesLike(g, x), x);
  const Output at_zero =
      GatherV2(g, SegmentProdLike(g, no_zeros), members.ids, 0);
  const Output elsewhere =
      RealDiv(g, GatherV2(g, g.out(), members.ids, 0), no_zeros);
  const Output slope = SelectV2(g, is_zero, at_zero, elsewhere);
  g.Set(0, Mul(g, members.Rows(g, dy), slope));
}

}  // namespace

MR_GRADIENT(SegmentSum)(GradContext& g) { g.Set(0, Sorted(g).Rows(g, g.dy())); }
MR_GRADIENT(SegmentMean)(GradContext& g) {
  const Output ones =
      Fill(g, RowShape(g, g.in(1), g.in(0)), NumberLike(g, g.dy(), 1));
  g.Set(0, Sorted(g).Rows(g, RealDiv(g, g.dy(), SegmentSum(g, ones, g.in(1)))));
}
MR_GRADIENT(SegmentMax)(GradContext& g) { SegmentExtreme(g, Sorted(g)); }
MR_GRADIENT(SegmentMin)(GradContext& g) { SegmentExtreme(g, Sorted(g)); }
MR_GRADIENT(SegmentProd)(GradContext& g) { SegmentProduct(g, Sorted(g)); }

MR_GRADIENT(UnsortedSegmentSum)(GradContext& g) {
  g.Set(0, Unsorted(g).Rows(g, g.dy()));
}
MR_GRADIENT(UnsortedSegmentMax)(GradContext& g) {
  SegmentExtreme(g, Unsorted(g));
}
MR_GRADIENT(UnsortedSegmentMin)(GradContext& g) {
  SegmentExtreme(g, Unsorted(g));
}
MR_GRADIENT(UnsortedSegmentProd)(GradContext& g) {
  SegmentProduct(g, Unsorted(g));
}

}  // namespace millrace::ops
