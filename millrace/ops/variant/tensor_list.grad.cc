// Gradients of lists: lists of gradients, of the same length.
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/gradients/grad_shapes.h"

namespace millrace::ops {
namespace {

Output ElementShapeOf(GradContext& g, const Output& list) {
  return TensorListElementShape(g, list, DataType::kInt32);
}
// The shape of the rows of a tensor.
Output RowShapeOf(GradContext& g, const Output& t) {
  return Part(g, ShapeOf(g, t), 1, kToEnd);
}

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

void FromValueGradient(GradContext& g) {
  AttrValue::TypeList types;
  AttrValue::ShapeList shapes;
  for (int i = 0; i < g.num_inputs(); ++i) {
    types.push_back(g.in(i).dtype());
    shapes.push_back(g.in(i).shape());
  }
  const std::vector<Output> components =
      OptionalGetValue(g, g.dy(), types, shapes);
  for (int i = 0; i < static_cast<int>(components.size()); ++i) {
    g.Set(i, components[static_cast<size_t>(i)]);
  }
}

void GetValueGradient(GradContext& g) {
  std::vector<Output> dys;
  for (int i = 0; i < g.num_outputs(); ++i) dys.push_back(g.dy(i));
  g.Set(0, OptionalFromValue(g, dys));
}

}  // namespace

MR_GRADIENT(TensorListPushBack)(GradContext& g) { PushBackGradient(g); }
MR_GRADIENT(TensorListPopBack)(GradContext& g) { PopBackGradient(g); }
MR_GRADIENT(TensorListStack)(GradContext& g) { StackGradient(g); }
MR_GRADIENT(TensorListConcat)(GradContext& g) { ConcatGradient(g); }
MR_GRADIENT(TensorListConcatV2)(GradContext& g) { ConcatGradient(g); }
MR_GRADIENT(TensorListSplit)(GradContext& g) { SplitGradient(g); }
MR_GRADIENT(TensorListFromTensor)(GradContext& g) { FromTensorGradient(g); }
MR_GRADIENT(TensorListGetItem)(GradContext& g) { GetItemGradient(g); }
MR_GRADIENT(TensorListSetItem)(GradContext& g) { SetItemGradient(g); }
MR_GRADIENT(TensorListResize)(GradContext& g) { ResizeGradient(g); }
MR_GRADIENT(TensorListGather)(GradContext& g) { GatherGradient(g); }
MR_GRADIENT(TensorListScatter)(GradContext& g) { ScatterGradient(g); }
MR_GRADIENT(TensorListScatterV2)(GradContext& g) { ScatterGradient(g); }
MR_GRADIENT(TensorListScatterIntoExistingList)(GradContext& g) {
  ScatterIntoGradient(g);
}
MR_GRADIENT(OptionalFromValue)(GradContext& g) { FromValueGradient(g); }
MR_GRADIENT(OptionalGetValue)(GradContext& g) { GetValueGradient(g); }
MR_NO_GRADIENT(EmptyTensorList);
MR_NO_GRADIENT(TensorListReserve);
MR_NO_GRADIENT(TensorListLength);
MR_NO_GRADIENT(TensorListElementShape);
MR_NO_GRADIENT(TensorListConcatLists);
MR_NO_GRADIENT(TensorListPushBackBatch);
MR_NO_GRADIENT(OptionalNone);
MR_NO_GRADIENT(OptionalHasValue);

}  // namespace millrace::ops
