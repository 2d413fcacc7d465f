#include "millrace/ops/reduction/tensor_sum.h"

#include <algorithm>

#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/reduction/compound_variant.h"

namespace millrace::ops {
namespace {

constexpr int64_t kAddPicos = 300;

Status AddElements(KernelContext& ctx, const Tensor& a, const Tensor& b,
                   char* out) {
  MR_ASSIGN_OR_RETURN(const BinaryRunner add,
                      BinaryRunner::Make(AddLoops(), a.dtype(), a.dtype()));
  const int64_t size = static_cast<int64_t>(SizeOf(a.dtype()));
  return ShardElements(
      ctx, a.num_elements(), kAddPicos, [&](int64_t begin, int64_t end) {
        add.Run(BinaryRunner::Form::kVectorVector, a.data() + begin * size,
                b.data() + begin * size, out + begin * size, end - begin);
      });
}

}  // namespace

bool IsSummable(DataType type) {
  return IsFloating(type) || IsComplex(type) || IsInteger(type);
}

Status CheckSameForm(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) {
    return InvalidArgument(
        "Trying to add two tensors with incompatible element types. One is ",
        DataTypeName(a.dtype()), " and the other is ", DataTypeName(b.dtype()));
  }
  if (!(a.shape() == b.shape())) {
    return InvalidArgument(
        "Trying to add two tensors with incompatible element shapes. One is ",
        a.shape().DebugString(), " and the other is ", b.shape().DebugString());
  }
  return OkStatus();
}

StatusOr<Tensor> SumTensors(KernelContext& ctx, const Tensor& a,
                            const Tensor& b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  MR_RETURN_IF_ERROR(CheckSameForm(a, b));
  if (a.dtype() == DataType::kVariant) return SumVariants(ctx, a, b);
  if (!IsSummable(a.dtype())) {
    return InvalidArgument("Trying to add unsupported dtype ",
                           static_cast<int>(a.dtype()));
  }
  MR_ASSIGN_OR_RETURN(Tensor sum, ctx.AllocateTemp(a.dtype(), a.shape()));
  MR_RETURN_IF_ERROR(AddElements(ctx, a, b, sum.mutable_data()));
  return sum;
}

Status AddInPlace(KernelContext& ctx, Tensor* sum, const Tensor& x) {
  if (!sum->IsUnshared()) {
    MR_ASSIGN_OR_RETURN(*sum, SumTensors(ctx, *sum, x));
    return OkStatus();
  }
  return AddElements(ctx, *sum, x, sum->mutable_data());
}

}  // namespace millrace::ops
