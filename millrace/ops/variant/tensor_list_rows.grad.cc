// Gradients of lists: lists of gradients, of the same length.
#include "millrace/ops/variant/list_gradients.grad.h"

namespace millrace::ops {
namespace {

void StackGradient(GradContext& g) {
  g.Set(0, TensorListFromTensor(g, g.dy(), RowShapeOf(g, g.dy())));
}

void ConcatGradient(GradContext& g) {
  g.Set(0, TensorListSplit(g, g.dy(0), ElementShapeOf(g, g.in(0)), g.out(1)));
}

void SplitGradient(GradContext& g) {
  const Output element = ConcatV2(
      g, {Const(g, std::vector<int32_t>{-1}), RowShapeOf(g, g.in(0))}, 0);
  g.Set(
      0,
      TensorListConcatV2(g, g.dy(), element, g.in(2), g.in(0).dtype()).tensor);
}

void FromTensorGradient(GradContext& g) {
  const PartialShape shape = g.in(0).shape();
  g.Set(0, TensorListStack(
               g, g.dy(), RowShapeOf(g, g.in(0)), g.in(0).dtype(),
               {.num_elements = shape.known_rank() ? shape.dim(0) : -1}));
}

void GatherGradient(GradContext& g) {
  const Output zeros = TensorListReserve(
      g, RowShapeOf(g, g.dy()), TensorListLength(g, g.in(0)), g.dy().dtype());
  g.Set(0, TensorListScatterIntoExistingList(g, zeros, g.dy(), g.in(1)));
}

void ScatterGradient(GradContext& g) {
  g.Set(0, TensorListGather(g, g.dy(), g.in(1), RowShapeOf(g, g.in(0)),
                            g.in(0).dtype()));
}

void ScatterIntoGradient(GradContext& g) {
  const Output t = g.in(1);
  g.Set(0,
        TensorListScatterIntoExistingList(g, g.dy(), ZerosLike(g, t), g.in(2)));
  g.Set(1, TensorListGather(g, g.dy(), g.in(2), RowShapeOf(g, t), t.dtype()));
}

}  // namespace

MR_GRADIENT(TensorListStack)(GradContext& g) { StackGradient(g); }

MR_GRADIENT(TensorListConcat)(GradContext& g) { ConcatGradient(g); }

MR_GRADIENT(TensorListConcatV2)(GradContext& g) { ConcatGradient(g); }

MR_GRADIENT(TensorListSplit)(GradContext& g) { SplitGradient(g); }

MR_GRADIENT(TensorListFromTensor)(GradContext& g) { FromTensorGradient(g); }

MR_GRADIENT(TensorListGather)(GradContext& g) { GatherGradient(g); }

MR_GRADIENT(TensorListScatter)(GradContext& g) { ScatterGradient(g); }

MR_GRADIENT(TensorListScatterV2)(GradContext& g) { ScatterGradient(g); }

MR_GRADIENT(TensorListScatterIntoExistingList)(GradContext& g) {
  ScatterIntoGradient(g);
}

}  // namespace millrace::ops
