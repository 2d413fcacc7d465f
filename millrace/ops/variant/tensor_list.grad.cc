// Gradients of lists: lists of gradients, of the same length.
#include "millrace/ops/variant/list_gradients.grad.h"

namespace millrace::ops {
namespace {

void PushBackGradient(GradContext& g) {
  const auto popped =
      TensorListPopBack(g, g.dy(), ShapeOf(g, g.in(1)), g.in(1).dtype());
  g.Set(0, popped.output_handle);
  g.Set(1, popped.tensor);
}

void PopBackGradient(GradContext& g) {
  const Output list = g.has_dy(0)
                          ? g.dy(0)
                          : EmptyTensorList(g, ElementShapeOf(g, g.out(0)), -1,
                                            g.out(1).dtype());
  g.Set(0, TensorListPushBack(g, list, g.dy(1)));
}

void GetItemGradient(GradContext& g) {
  const Output zeros =
      TensorListReserve(g, ElementShapeOf(g, g.in(0)),
                        TensorListLength(g, g.in(0)), g.dy().dtype());
  g.Set(0, TensorListSetItem(g, zeros, g.in(1), g.dy()));
}

void SetItemGradient(GradContext& g) {
  const Output item = g.in(2);
  g.Set(0, TensorListSetItem(g, g.dy(), g.in(1), ZerosLike(g, item)));
  g.Set(2,
        TensorListGetItem(g, g.dy(), g.in(1), ShapeOf(g, item), item.dtype()));
}

void ResizeGradient(GradContext& g) {
  g.Set(0, TensorListResize(g, g.dy(), TensorListLength(g, g.in(0))));
}

}  // namespace

MR_GRADIENT(TensorListPushBack)(GradContext& g) { PushBackGradient(g); }

MR_GRADIENT(TensorListPopBack)(GradContext& g) { PopBackGradient(g); }

MR_GRADIENT(TensorListGetItem)(GradContext& g) { GetItemGradient(g); }

MR_GRADIENT(TensorListSetItem)(GradContext& g) { SetItemGradient(g); }

MR_GRADIENT(TensorListResize)(GradContext& g) { ResizeGradient(g); }

MR_NO_GRADIENT(EmptyTensorList);
MR_NO_GRADIENT(TensorListReserve);
MR_NO_GRADIENT(TensorListLength);
MR_NO_GRADIENT(TensorListElementShape);

}  // namespace millrace::ops
