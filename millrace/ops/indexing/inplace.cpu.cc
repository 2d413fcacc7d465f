#include "millrace/ops/indexing/plans/inplace.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/scatter_slices.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Whether an op takes elements of this type.
template <ScatterHow kHow>
bool Takes(DataType type) {
  if (IsQuantized(type) || type == DataType::kResource ||
      type == DataType::kVariant) {
    return false;
  }
  return kHow == ScatterHow::kUpdate ||
         (type != DataType::kBool && type != DataType::kString);
}

template <ScatterHow kHow>
Status ChangeRows(KernelContext& ctx) {
  const TensorShape shape = ctx.input(0).shape();
  const Tensor& i = ctx.input(1);
  const Tensor& v = ctx.input(2);
  MR_RETURN_IF_ERROR(CheckInplaceRows(ctx.input(0), i, v));
  if (!Takes<kHow>(v.dtype())) {
    return InvalidArgument("Unsupported data type: ", DataTypeName(v.dtype()));
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.ForwardOrAllocateOutput({0}, 0, shape));
  if (out->num_elements() == 0) return OkStatus();
  const Tensor& x = ctx.input(0);
  if (x.data() != out->data()) {
    CopyElements(x.dtype(), x.data(), 0, out->mutable_data(), 0,
                 x.num_elements());
  }
  const auto change = [&]<class T>() -> Status {
    const int64_t rows = shape.dim(0);
    const int64_t n = shape.NumElements(1, shape.rank());
    const T* from = reinterpret_cast<const T*>(v.data());
    T* to = reinterpret_cast<T*>(out->mutable_data());
    const auto places = i.flat<int32_t>();
    for (size_t k = 0; k < places.size(); ++k) {
      const int64_t row = (places[k] % rows + rows) % rows;
      ScatterSlice<kHow, T>(to + row * n, from + static_cast<int64_t>(k) * n,
                            n);
    }
    return OkStatus();
  };
  if constexpr (kHow == ScatterHow::kUpdate) {
    return DispatchBySize(v.dtype(), change);
  } else {
    return Dispatch(NumericTypes{}, v.dtype(), change);
  }
}

}  // namespace

MR_KERNELS(InplaceUpdate,
           Cpu){{.make = MakeFunctionKernel<ChangeRows<ScatterHow::kUpdate>>}};
MR_KERNELS(InplaceAdd,
           Cpu){{.make = MakeFunctionKernel<ChangeRows<ScatterHow::kAdd>>}};
MR_KERNELS(InplaceSub, Cpu){
    {.make = MakeFunctionKernel<ChangeRows<ScatterHow::kSubtract>>}};

}  // namespace millrace::ops
