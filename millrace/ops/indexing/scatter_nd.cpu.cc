#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/scatter_slices.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

struct ScatterNdKernel {
  static StatusOr<ScatterNdKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(BadIndices policy, BadIndicesPolicy(init.node().attrs));
    return ScatterNdKernel{policy};
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& indices = ctx.input(0);
    const Tensor& updates = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const TensorShape shape,
                        ScatterNdShape(indices, updates, ctx.input(2)));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    if (updates.num_elements() == 0) return OkStatus();
    const NdIndex index(indices, shape);
    if (policy == BadIndices::kError) {
      // As in stock, the last bad index is named.
      const int64_t outside = index.LastOutside();
      if (outside >= 0) return OutsideOf(shape, index, outside);
    }
    return Dispatch(Join<NumericTypes, Types<bool, StringElement>>{},
                    updates.dtype(), [&]<class T>() -> Status {
                      return ScatterSlices<ScatterHow::kAdd, T>(ctx, updates,
                                                                index, out);
                    });
  }

  BadIndices policy;
};

}  // namespace

StatusOr<TensorShape> ScatterNdShape(const Tensor& indices,
                                     const Tensor& updates,
                                     const Tensor& sizes) {
  if (indices.rank() < 1) {
    return InvalidArgument("Indices shape must have rank at least one. Found:",
                           indices.shape().DebugString());
  }
  if (updates.rank() < 1) {
    return InvalidArgument("Updates shape must have rank at least one. Found:",
                           updates.shape().DebugString());
  }
  if (sizes.rank() != 1) return InvalidArgument("Shape must be a vector");
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(IntValues(sizes)));
  if (!HasPlacesForUpdates(indices, updates, shape)) {
    return InvalidArgument(
        "Indices and updates specified for empty output shape");
  }
  MR_RETURN_IF_ERROR(CheckSlices(indices, updates, shape));
  return shape;
}

MR_KERNELS(ScatterNd, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<ScatterNdKernel>,
     .host = "shape"}};

}  // namespace millrace::ops
