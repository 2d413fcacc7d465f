#include "millrace/ops/variant/tensor_list.h"

#include <algorithm>
#include <utility>

namespace millrace::ops {

Status TensorListValue::CheckSum(const VariantValue& other) const {
  if (other.type_name() != kTypeName) {
    return InvalidArgument("Trying to add a list of tensors and a variant of ",
                           "type ", other.type_name());
  }
  const auto& b = static_cast<const TensorListValue&>(other);
  if (element_dtype != b.element_dtype) {
    return InvalidArgument(
        "Trying to add two lists of tensors of different dtypes. One is ",
        DataTypeName(element_dtype), " and the other is ",
        DataTypeName(b.element_dtype));
  }
  if (!element_shape.IsCompatibleWith(b.element_shape)) {
    return InvalidArgument(
        "Trying to add two lists of tensors with incompatible element shapes. "
        "One is ",
        element_shape.DebugString(), " and the other is ",
        b.element_shape.DebugString());
  }
  if (size() != b.size()) {
    return InvalidArgument(
        "Trying to add two lists of tensors with different lengths. One is ",
        size(), " and the other is ", b.size());
  }
  return element_shape.Merge(b.element_shape).status();
}

StatusOr<Ref<VariantValue>> TensorListValue::With(
    std::vector<Tensor> parts, const CompoundVariant* other) const {
  PartialShape shape = element_shape;
  if (other != nullptr) {
    const auto& list = static_cast<const TensorListValue&>(*other);
    MR_ASSIGN_OR_RETURN(shape, shape.Merge(list.element_shape));
  }
  auto made = MakeRef<TensorListValue>(element_dtype, std::move(shape));
  MR_RETURN_IF_ERROR(made->Resize(size()));
  made->tensors_ = std::move(parts);
  return Ref<VariantValue>(std::move(made));
}

Status TensorListValue::Resize(int64_t size) {
  if (size > static_cast<int64_t>(tensors_.capacity())) {
    // Doubles the capacity, so that pushing elements one by one is cheap.
    const int64_t room =
        std::max(size, 2 * static_cast<int64_t>(tensors_.size()));
    MR_RETURN_IF_ERROR(charge_.Set(room * static_cast<int64_t>(sizeof(Tensor)),
                                   "the elements of a TensorList"));
    tensors_.reserve(static_cast<size_t>(room));
  }
  tensors_.resize(static_cast<size_t>(size));
  return OkStatus();
}

Status TensorListValue::Push(Tensor value) {
  MR_RETURN_IF_ERROR(Resize(size() + 1));
  tensors_.back() = std::move(value);
  return OkStatus();
}

Tensor TensorListValue::Pop() {
  Tensor value = std::move(tensors_.back());
  tensors_.pop_back();
  return value;
}

StatusOr<Ref<TensorListValue>> TensorListValue::Copy() const {
  auto copy = MakeRef<TensorListValue>(element_dtype, element_shape);
  copy->max_num_elements = max_num_elements;
  MR_RETURN_IF_ERROR(copy->Resize(size()));
  copy->tensors_ = tensors_;
  return copy;
}

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
