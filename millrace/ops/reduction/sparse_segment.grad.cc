#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

Output Rows(GradContext& g) { return Element(g, ShapeOf(g, g.in(0)), 0); }

}  // namespace

MR_GRADIENT(SparseSegmentSum)(GradContext& g) {
  g.Set(0, SparseSegmentSumGrad(g, g.dy(), g.in(1), g.in(2), Rows(g)));
}
MR_GRADIENT(SparseSegmentSumWithNumSegments)(GradContext& g) {
  g.Set(0, SparseSegmentSumGrad(g, g.dy(), g.in(1), g.in(2), Rows(g)));
}
MR_GRADIENT(SparseSegmentMean)(GradContext& g) {
  g.Set(0, SparseSegmentMeanGrad(g, g.dy(), g.in(1), g.in(2), Rows(g)));
}
MR_GRADIENT(SparseSegmentMeanWithNumSegments)(GradContext& g) {
  g.Set(0, SparseSegmentMeanGrad(g, g.dy(), g.in(1), g.in(2), Rows(g)));
}
MR_GRADIENT(SparseSegmentSqrtN)(GradContext& g) {
  g.Set(0, SparseSegmentSqrtNGrad(g, g.dy(), g.in(1), g.in(2), Rows(g)));
}
MR_GRADIENT(SparseSegmentSqrtNWithNumSegments)(GradContext& g) {
  g.Set(0, SparseSegmentSqrtNGrad(g, g.dy(), g.in(1), g.in(2), Rows(g)));
}

}  // namespace millrace::ops
