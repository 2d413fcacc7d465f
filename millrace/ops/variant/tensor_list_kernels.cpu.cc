// Kernels that make lists, return their length and shape, push and pop, and get
// and set one element.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/indexing/rows.h"
#include "millrace/ops/variant/tensor_list.h"

namespace millrace::ops {
namespace {

class EmptyListKernel {
 public:
  static StatusOr<EmptyListKernel> Make(const KernelInit& init) {
    EmptyListKernel k;
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("element_dtype"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& most = ctx.input(1);
    if (most.rank() != 0) {
      return InvalidArgument(
          "max_num_elements expected to be a scalar but got shape: ",
          most.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(PartialShape shape, ShapeOfTensor(ctx.input(0)));
    auto list = MakeRef<TensorListValue>(dtype_, std::move(shape));
    list->max_num_elements = most.scalar<int32_t>();
    SetListOutput(ctx, 0, std::move(list));
    return OkStatus();
  }

 private:
  DataType dtype_ = DataType::kInvalid;
};

class ReserveKernel {
 public:
  static StatusOr<ReserveKernel> Make(const KernelInit& init) {
    ReserveKernel k;
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("element_dtype"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(PartialShape shape, ShapeOfTensor(ctx.input(0)));
    const Tensor& count = ctx.input(1);
    if (count.rank() != 0) {
      return InvalidArgument(
          "The num_elements to reserve must be a tensor size 1, but got ",
          count.shape().DebugString());
    }
    if (count.scalar<int32_t>() < 0) {
      return InvalidArgument(
          "The num_elements to reserve must be a non negative number, but "
          "got ",
          count.scalar<int32_t>());
    }
    auto list = MakeRef<TensorListValue>(dtype_, std::move(shape));
    MR_RETURN_IF_ERROR(list->Resize(count.scalar<int32_t>()));
    SetListOutput(ctx, 0, std::move(list));
    return OkStatus();
  }

 private:
  DataType dtype_ = DataType::kInvalid;
};

Status Length(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list, ListOfInput(ctx, 0));
  ctx.set_output(0, Tensor::Scalar(static_cast<int32_t>(list->size())));
  return OkStatus();
}

Status ListElementShape(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list, ListOfInput(ctx, 0));
  const PartialShape& shape = list->element_shape;
  const TensorShape out_shape =
      shape.known_rank() ? TensorShape({shape.rank()}) : TensorShape();
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, out_shape));
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    const int64_t size =
        shape.known_rank() ? shape.dim(static_cast<int>(i)) : -1;
    if (out->dtype() == DataType::kInt32) {
      out->mutable_flat<int32_t>()[static_cast<size_t>(i)] =
          static_cast<int32_t>(size);
    } else {
      out->mutable_flat<int64_t>()[static_cast<size_t>(i)] = size;
    }
  }
  return OkStatus();
}

Status Resize(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(ListOfInput(ctx, 0).status());
  const Tensor& size = ctx.input(1);
  if (size.rank() != 0) return InvalidArgument("size must be a scalar");
  if (size.scalar<int32_t>() < 0) {
    return InvalidArgument(
        "TensorListSlice expects size to be non-negative. Got: ",
        size.scalar<int32_t>());
  }
  MR_ASSIGN_OR_RETURN(Ref<TensorListValue> list, TakeList(ctx, 0));
  MR_RETURN_IF_ERROR(list->Resize(size.scalar<int32_t>()));
  SetListOutput(ctx, 0, std::move(list));
  return OkStatus();
}

Status PushBack(KernelContext& ctx) {
  const Tensor& value = ctx.input(1);
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list, ListOfInput(ctx, 0));
  if (!list->element_shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "Tried to append a tensor with incompatible shape to a list. Op "
        "element shape: ",
        value.shape().DebugString(),
        " list shape: ", list->element_shape.DebugString());
  }
  MR_RETURN_IF_ERROR(ListOfInput(ctx, 0, value.dtype()).status());
  if (list->max_num_elements != -1 && list->size() >= list->max_num_elements) {
    return InvalidArgument(
        "Tried to push item into a full list list size: ", list->size(),
        " max_num_elements: ", list->max_num_elements);
  }
  MR_ASSIGN_OR_RETURN(Ref<TensorListValue> changed, TakeList(ctx, 0));
  MR_RETURN_IF_ERROR(changed->Push(ctx.TakeInput(1)));
  SetListOutput(ctx, 0, std::move(changed));
  return OkStatus();
}

// Returns zeros for an element that was never set.
StatusOr<Tensor> Unset(KernelContext& ctx, const TensorListValue& list,
                       const PartialShape& shape) {
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "Trying to read an uninitialized tensor but element_shape is not "
        "fully defined.",
        shape.DebugString());
  }
  MR_ASSIGN_OR_RETURN(TensorShape full, shape.AsTensorShape());
  return ZeroTemp(ctx, list.element_dtype, std::move(full));
}

Status PopBack(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                      ListOfInput(ctx, 0, ctx.output_type(1)));
  if (list->size() == 0) {
    return InvalidArgument("Trying to pop from an empty list.");
  }
  Tensor value;
  if (!list->tensors().back().valid()) {
    MR_ASSIGN_OR_RETURN(const PartialShape shape, ElementShape(ctx, 1, *list));
    MR_ASSIGN_OR_RETURN(value, Unset(ctx, *list, shape));
  }
  MR_ASSIGN_OR_RETURN(Ref<TensorListValue> changed, TakeList(ctx, 0));
  Tensor last = changed->Pop();
  ctx.set_output(1, value.valid() ? std::move(value) : std::move(last));
  SetListOutput(ctx, 0, std::move(changed));
  return OkStatus();
}

Status GetItem(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                      ListOfInput(ctx, 0, ctx.output_type(0)));
  MR_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "index"));
  const int32_t index = ctx.input(1).scalar<int32_t>();
  if (index < 0 || index >= list->size()) {
    return InvalidArgument("Trying to access element ", index,
                           " in a list with ", list->size(), " elements.");
  }
  const Tensor& value = list->tensors()[static_cast<size_t>(index)];
  if (value.valid()) {
    ctx.set_output(0, value);
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(PartialShape shape, ElementShape(ctx, 2, *list));
  for (const Tensor& t : list->tensors()) {
    if (shape.IsFullyDefined()) break;
    if (!t.valid()) continue;
    MR_ASSIGN_OR_RETURN(shape, shape.Merge(t.shape()));
  }
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "Trying to read an uninitialized tensor but element_shape is not "
        "fully defined: ",
        shape.DebugString(), " and no list element is set.");
  }
  MR_ASSIGN_OR_RETURN(Tensor zeros, Unset(ctx, *list, shape));
  ctx.set_output(0, std::move(zeros));
  return OkStatus();
}

class SetItemKernel {
 public:
  static StatusOr<SetItemKernel> Make(const KernelInit& init) {
    SetItemKernel k;
    MR_ASSIGN_OR_RETURN(k.resizes_,
                        init.Attr<bool>("resize_if_index_out_of_bounds"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& item = ctx.input(2);
    MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                        ListOfInput(ctx, 0, item.dtype()));
    MR_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "index"));
    const int32_t index = ctx.input(1).scalar<int32_t>();
    if (index < 0 || (index >= list->size() && !resizes_)) {
      return InvalidArgument("Trying to modify element ", index,
                             " in a list with ", list->size(), " elements.");
    }
    if (!list->element_shape.IsCompatibleWith(item.shape())) {
      return InvalidArgument(
          "Tried to set a tensor with incompatible shape at a list index. Item "
          "element shape: ",
          item.shape().DebugString(),
          " list shape: ", list->element_shape.DebugString());
    }
    MR_ASSIGN_OR_RETURN(Ref<TensorListValue> changed, TakeList(ctx, 0));
    if (index >= changed->size()) {
      MR_RETURN_IF_ERROR(changed->Resize(int64_t{index} + 1));
    }
    changed->Set(index, ctx.TakeInput(2));
    SetListOutput(ctx, 0, std::move(changed));
    return OkStatus();
  }

 private:
  bool resizes_ = false;
};

}  // namespace

MR_KERNELS(EmptyTensorList, Cpu){{.make = MakeKernel<EmptyListKernel>,
                                  .host = "element_shape, max_num_elements",
                                  .cheap = true}};
MR_KERNELS(TensorListReserve, Cpu){
    {.make = MakeKernel<ReserveKernel>, .host = "element_shape, num_elements"}};
MR_KERNELS(TensorListLength, Cpu){
    {.make = MakeFunctionKernel<Length>, .host = "length", .cheap = true}};
MR_KERNELS(TensorListElementShape,
           Cpu){{.make = MakeFunctionKernel<ListElementShape>,
                 .host = "element_shape",
                 .cheap = true}};
MR_KERNELS(TensorListResize,
           Cpu){{.make = MakeFunctionKernel<Resize>, .host = "size"}};
MR_KERNELS(TensorListPushBack,
           Cpu){{.make = MakeFunctionKernel<PushBack>, .cheap = true}};
MR_KERNELS(TensorListPopBack, Cpu){{.types = MR_LIST_TYPES,
                                    .make = MakeFunctionKernel<PopBack>,
                                    .host = "element_shape",
                                    .cheap = true}};
MR_KERNELS(TensorListGetItem, Cpu){{.types = MR_LIST_TYPES,
                                    .make = MakeFunctionKernel<GetItem>,
                                    .host = "index, element_shape",
                                    .cheap = true}};
MR_KERNELS(TensorListSetItem, Cpu){
    {.make = MakeKernel<SetItemKernel>, .host = "index", .cheap = true}};

}  // namespace millrace::ops
