#include "millrace/ops/variant/tensor_list.h"

#include <utility>

namespace millrace::ops {

StatusOr<const TensorListValue*> ListOfInput(KernelContext& ctx, int i) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 0) {
    return InvalidArgument("Input list must be a scalar saw: ",
                           t.shape().DebugString());
  }
  const VariantElement& element = t.scalar<VariantElement>();
  if (element == nullptr ||
      element->type_name() != TensorListValue::kTypeName) {
    return InvalidArgument("Input handle is not a list. Saw: '",
                           t.SummarizeValue(1), "'");
  }
  return static_cast<const TensorListValue*>(element.get());
}

StatusOr<const TensorListValue*> ListOfInput(KernelContext& ctx, int i,
                                             DataType dtype) {
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list, ListOfInput(ctx, i));
  if (list->element_dtype != dtype) {
    return InvalidArgument("Invalid data types; op elements ",
                           DataTypeName(dtype), " but list elements ",
                           DataTypeName(list->element_dtype));
  }
  return list;
}

StatusOr<Ref<TensorListValue>> TakeList(KernelContext& ctx, int i) {
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list, ListOfInput(ctx, i));
  Tensor t = ctx.TakeInput(i);
  if (!t.IsUnshared() || !list->IsUnique()) return list->Copy();
  VariantElement element = std::move(t.mutable_flat<VariantElement>()[0]);
  return Ref<TensorListValue>::Adopt(
      static_cast<TensorListValue*>(element.release()));
}

void SetListOutput(KernelContext& ctx, int i, Ref<TensorListValue> list) {
  ctx.set_output(
      i, Tensor::Scalar<VariantElement>(VariantElement(std::move(list))));
}

StatusOr<PartialShape> ShapeOfTensor(const Tensor& t) {
  if (t.rank() == 0) {
    if (IntValues(t)[0] == -1) return PartialShape();
    return InvalidArgument(
        "The only valid scalar shape tensor is the fully unknown shape "
        "specified as -1.");
  }
  if (t.rank() != 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank ",
                           t.rank());
  }
  return PartialShape::Make(IntValues(t));
}

StatusOr<PartialShape> ElementShape(KernelContext& ctx, int i,
                                    const TensorListValue& list) {
  MR_ASSIGN_OR_RETURN(const PartialShape shape, ShapeOfTensor(ctx.input(i)));
  return shape.Merge(list.element_shape);
}

}  // namespace millrace::ops
