// Kernels of tensors of lists, whose lists are joined or grow one by one.
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/indexing/rows.h"
#include "millrace/ops/variant/tensor_list.h"

namespace millrace::ops {
namespace {

// Returns the list in element i of a tensor of lists.
StatusOr<const TensorListValue*> ListAt(const Tensor& t, int64_t i,
                                        absl::string_view name) {
  const VariantElement& element =
      t.flat<VariantElement>()[static_cast<size_t>(i)];
  if (element == nullptr ||
      element->type_name() != TensorListValue::kTypeName) {
    return InvalidArgument(name, " is not a TensorList at index ", i,
                           ".  Saw: '", t.SummarizeValue(1), "'");
  }
  return static_cast<const TensorListValue*>(element.get());
}

class ConcatListsKernel {
 public:
  static StatusOr<ConcatListsKernel> Make(const KernelInit& init) {
    ConcatListsKernel k;
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("element_dtype"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (!(a.shape() == b.shape())) {
      return InvalidArgument("Incompatible input TensorList tensor shapes: ",
                             a.shape().DebugString(), " vs. ",
                             b.shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, a.shape()));
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      MR_ASSIGN_OR_RETURN(const TensorListValue* const x,
                          ListAt(a, i, "input_a"));
      MR_ASSIGN_OR_RETURN(const TensorListValue* const y,
                          ListAt(b, i, "input_b"));
      MR_RETURN_IF_ERROR(Check(*x, *y, i));
      MR_ASSIGN_OR_RETURN(Ref<TensorListValue> joined, x->Copy());
      for (const Tensor& t : y->tensors()) {
        MR_RETURN_IF_ERROR(joined->Push(t));
      }
      out->mutable_flat<VariantElement>()[static_cast<size_t>(i)] =
          std::move(joined);
    }
    return OkStatus();
  }

 private:
  Status Check(const TensorListValue& a, const TensorListValue& b,
               int64_t i) const {
    for (const auto& [name, list] :
         {std::pair("input_a", &a), std::pair("input_b", &b)}) {
      if (list->element_dtype == dtype_) continue;
      return InvalidArgument(name, "[", i, "].dtype != element_dtype.  Saw: ",
                             DataTypeName(list->element_dtype), " vs. ",
                             DataTypeName(dtype_));
    }
    if (a.element_shape == b.element_shape) return OkStatus();
    return InvalidArgument(
        "input_a and input_b TensorList element shapes are not identical at "
        "index ",
        i, ".  Saw ", a.element_shape.DebugString(), " vs. ",
        b.element_shape.DebugString());
  }

  DataType dtype_ = DataType::kInvalid;
};

Status PushBackBatch(KernelContext& ctx) {
  const Tensor& lists = ctx.input(0);
  const Tensor& t = ctx.input(1);
  if (t.rank() == 0) {
    return InvalidArgument(
        "Expected tensor to be at least a vector, but saw shape: ",
        t.shape().DebugString());
  }
  if (t.dim(0) != lists.num_elements()) {
    return InvalidArgument(
        "Expected tensor.shape[0] == input_handles.size, but saw: ", t.dim(0),
        " vs. ", lists.num_elements());
  }
  const PartialShape row = RowShape(t.shape());
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, lists.shape()));
  for (int64_t i = 0; i < lists.num_elements(); ++i) {
    MR_ASSIGN_OR_RETURN(const TensorListValue* const list,
                        ListAt(lists, i, "input_handles"));
    if (!list->element_shape.IsCompatibleWith(row)) {
      return InvalidArgument(
          "Tried to append a tensor with incompatible shape to a list at "
          "index ",
          i, ". Op element shape: ", row.DebugString(),
          " list shape: ", list->element_shape.DebugString());
    }
    if (list->element_dtype != t.dtype()) {
      return InvalidArgument("Invalid data types; op elements ",
                             DataTypeName(t.dtype()), " but list elements ",
                             DataTypeName(list->element_dtype));
    }
    MR_ASSIGN_OR_RETURN(Ref<TensorListValue> changed, list->Copy());
    MR_ASSIGN_OR_RETURN(Tensor value, RowOf(ctx, t, i));
    MR_RETURN_IF_ERROR(changed->Push(std::move(value)));
    out->mutable_flat<VariantElement>()[static_cast<size_t>(i)] =
        std::move(changed);
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(TensorListConcatLists, Cpu){{.make = MakeKernel<ConcatListsKernel>}};
MR_KERNELS(TensorListPushBackBatch, Cpu){
    {.types = MR_LIST_TYPES, .make = MakeFunctionKernel<PushBackBatch>}};

}  // namespace millrace::ops
