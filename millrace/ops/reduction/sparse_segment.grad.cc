#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

// Sets the gradient of the table: whole by `whole`, or with `sparse_gradient`
// the rows that were read alone by `rows`, so that optimizers leave the others
// as they are.
template <class Whole, class Rows>
void SetTable(GradContext& g, const Whole& whole, const Rows& rows) {
  const Output shape = ShapeOf(g, g.in(0));
  const Output count = Element(g, shape, 0);
  if (!g.Attr<bool>("sparse_gradient")) {
    g.Set(0, whole(g, g.dy(), g.in(1), g.in(2), count));
    return;
  }
  const auto read = rows(g, g.dy(), g.in(1), g.in(2), count);
  g.Set(0, IndexedSlices{read.output, read.sorted_unique_indices, shape});
}

void SumGradient(GradContext& g) {
  SetTable(g, SparseSegmentSumGrad, SparseSegmentSumGradV2);
}
void MeanGradient(GradContext& g) {
  SetTable(g, SparseSegmentMeanGrad, SparseSegmentMeanGradV2);
}
void SqrtNGradient(GradContext& g) {
  SetTable(g, SparseSegmentSqrtNGrad, SparseSegmentSqrtNGradV2);
}

}  // namespace

MR_GRADIENT(SparseSegmentSum)(GradContext& g) { SumGradient(g); }
MR_GRADIENT(SparseSegmentSumWithNumSegments)(GradContext& g) { SumGradient(g); }
MR_GRADIENT(SparseSegmentMean)(GradContext& g) { MeanGradient(g); }
MR_GRADIENT(SparseSegmentMeanWithNumSegments)(GradContext& g) {
  MeanGradient(g);
}
MR_GRADIENT(SparseSegmentSqrtN)(GradContext& g) { SqrtNGradient(g); }
MR_GRADIENT(SparseSegmentSqrtNWithNumSegments)(GradContext& g) {
  SqrtNGradient(g);
}

}  // namespace millrace::ops
