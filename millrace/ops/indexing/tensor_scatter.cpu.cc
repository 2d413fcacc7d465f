#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/scatter_slices.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

Status CheckTensorScatter(const Tensor& indices, const Tensor& updates,
                          const TensorShape& shape) {
  if (indices.rank() < 1) {
    return InvalidArgument("Indices shape must have rank at least one. Found:",
                           indices.shape().DebugString());
  }
  if (updates.rank() < 1) {
    return InvalidArgument("Updates shape must have rank at least one. Found:",
                           updates.shape().DebugString());
  }
  if (!HasPlacesForUpdates(indices, updates, shape)) {
    return InvalidArgument(
        "Indices and updates specified for empty output shape");
  }
  const int outer = indices.rank() - 1;
  for (int i = 0; i < outer; ++i) {
    if (i < updates.rank() && indices.dim(i) == updates.dim(i)) continue;
    return InvalidArgument(
        "Outer dimensions of indices and update must match. Indices shape: ",
        indices.shape().DebugString(),
        ", updates shape:", updates.shape().DebugString());
  }
  const int64_t depth = indices.dim(outer);
  if (depth > shape.rank() || updates.rank() - outer != shape.rank() - depth) {
    return InvalidArgument(
        "Inner dimensions of output shape must match inner dimensions of "
        "updates shape. Output: ",
        shape.DebugString(), " updates: ", updates.shape().DebugString());
  }
  const int inner = updates.rank() - outer;
  for (int i = 0; i < inner; ++i) {
    if (updates.dim(outer + i) == shape.dim(static_cast<int>(depth) + i)) {
      continue;
    }
    return InvalidArgument(
        "The inner ", inner,
        " dimensions of output.shape=", shape.DebugString(),
        " must match the inner ", inner,
        " dimensions of updates.shape=", updates.shape().DebugString());
  }
  return OkStatus();
}

namespace {

// Sets output 0 to input 0, in the same memory if nobody else needs it.
StatusOr<Tensor*> CopyOfInput(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(
      Tensor* const out,
      ctx.ForwardOrAllocateOutput({0}, 0, TensorShape(ctx.input(0).shape())));
  const Tensor& in = ctx.input(0);
  if (in.num_elements() == 0 || in.data() == out->data()) return out;
  char* const to = out->mutable_data();
  MR_RETURN_IF_ERROR(
      ctx.ParallelFor(in.num_elements(), 1, [&](int64_t begin, int64_t end) {
        CopyElements(in.dtype(), in.data(), begin, to, begin, end - begin);
      }));
  return out;
}

// The op that checks the shapes.
enum class ScatterOp { kTensorScatter, kNonAliasing };

template <ScatterHow kHow, ScatterOp kOp>
class TensorScatterKernel {
 public:
  static StatusOr<TensorScatterKernel> Make(const KernelInit& init) {
    TensorScatterKernel k;
    MR_ASSIGN_OR_RETURN(k.policy_, BadIndicesPolicy(init.node().attrs));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    const Tensor& updates = ctx.input(2);
    Tensor rows = ctx.input(1);
    if constexpr (kOp == ScatterOp::kTensorScatter) {
      MR_RETURN_IF_ERROR(CheckTensorScatter(ctx.input(1), updates, shape));
    } else {
      MR_RETURN_IF_ERROR(CheckScatter(ctx.input(1), updates, shape, &rows));
    }
    if (updates.num_elements() == 0) return CopyOfInput(ctx).status();
    const NdIndex index(rows, shape);
    if (policy_ == BadIndices::kError) {
      // As in stock, the last bad index is named.
      const int64_t outside = index.LastOutside();
      if (outside >= 0) return OutsideOf(shape, index, outside);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, CopyOfInput(ctx));
    const auto scatter = [&]<class T>() -> Status {
      return ScatterSlices<kHow, T>(ctx, updates, index, out);
    };
    if constexpr (kHow == ScatterHow::kUpdate) {
      return DispatchBySize(updates.dtype(), scatter);
    } else {
      return Dispatch(Join<NumericTypes, Types<bool>>{}, updates.dtype(),
                      scatter);
    }
  }

 private:
  BadIndices policy_ = BadIndices::kError;
};

#define MR_SCATTER_INDICES "; Tindices: int32, int64"

}  // namespace

MR_KERNELS(TensorScatterUpdate, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES MR_SCATTER_INDICES,
     .make = MakeKernel<
         TensorScatterKernel<ScatterHow::kUpdate, ScatterOp::kTensorScatter>>}};
MR_KERNELS(TensorScatterAdd, Cpu){
    {.types = "T: " MR_NUMBER_TYPES MR_SCATTER_INDICES,
     .make = MakeKernel<
         TensorScatterKernel<ScatterHow::kAdd, ScatterOp::kTensorScatter>>}};
MR_KERNELS(TensorScatterSub, Cpu){
    {.types = "T: " MR_NUMBER_TYPES MR_SCATTER_INDICES,
     .make = MakeKernel<TensorScatterKernel<ScatterHow::kSubtract,
                                            ScatterOp::kTensorScatter>>}};
MR_KERNELS(ScatterNdNonAliasingAdd, Cpu){
    {.types = "T: " MR_PLAIN_TYPES MR_SCATTER_INDICES,
     .make = MakeKernel<
         TensorScatterKernel<ScatterHow::kAdd, ScatterOp::kNonAliasing>>}};

}  // namespace millrace::ops
