#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/indexing/plans/move_kernels.h"

namespace millrace::ops {
namespace {

// Returns whether the slice is a range of dimension 0 and all of the others.
bool IsRows(const Tensor& in, const StridedSlicePlan& plan) {
  for (int i = 0; i < in.rank(); ++i) {
    if (plan.strides[i] != 1 && plan.sizes[i] > 1) return false;
    if (i > 0 && (plan.begin[i] != 0 || plan.sizes[i] != in.dim(i)))
      return false;
  }
  return in.rank() > 0;
}

}  // namespace

StatusOr<StridedSliceKernel> StridedSliceKernel::Make(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(StridedSliceMasks masks,
                      StridedSliceMasks::FromAttrs(init.node().attrs));
  return StridedSliceKernel{masks};
}

Status StridedSliceKernel::Run(KernelContext& ctx, const Mover& mover) const {
  const Tensor& in = ctx.input(0);
  MR_ASSIGN_OR_RETURN(StridedSlicePlan plan,
                      PlanStridedSlice(in.shape(), &ctx.input(1), &ctx.input(2),
                                       ctx.input(3), masks));
  MR_ASSIGN_OR_RETURN(TensorShape shape, plan.result.AsTensorShape());
  // A view is shared as TensorFlow shares it: with another stride, not even
  // one row is.
  const bool may_share = !in.is_view() || plan.has_unit_strides;
  if (plan.is_identity && may_share) {
    const Tensor taken = ctx.TakeInput(0);
    ctx.set_output(0, taken.Reshaped(std::move(shape)));
    return OkStatus();
  }
  if (Tensor shared;
      may_share && IsRows(in, plan) &&
      ShareRows(in, plan.begin[0], plan.begin[0] + plan.sizes[0], &shared)) {
    ctx.set_output(0, shared.Reshaped(std::move(shape)));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  const int64_t last = plan.begin[0] + (plan.sizes[0] - 1) * plan.strides[0];
  const int64_t lowest = std::min(plan.begin[0], last);
  MR_ASSIGN_OR_RETURN(
      const ReadRows source,
      ReadRowsOf(ctx, in, lowest, std::max(plan.begin[0], last) - lowest + 1));
  const DimVector in_strides = RowMajorStrides(in.shape().dims());
  const DimVector out_strides = RowMajorStrides(plan.sizes);
  StridedCopySpec spec;
  for (int i = 0; i < in.rank(); ++i) {
    spec.Add(plan.sizes[i], in_strides[i] * plan.strides[i], out_strides[i]);
    spec.src_offset +=
        (plan.begin[i] - (i == 0 ? source.first : 0)) * in_strides[i];
  }
  return mover.Copy(ctx, source.rows, out, spec);
}

StatusOr<StridedSliceGradKernel> StridedSliceGradKernel::Make(
    const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(StridedSliceMasks masks,
                      StridedSliceMasks::FromAttrs(init.node().attrs));
  return StridedSliceGradKernel{masks};
}

Status StridedSliceGradKernel::Run(KernelContext& ctx,
                                   const Mover& mover) const {
  const Tensor& sizes = ctx.input(0);
  const Tensor& dy = ctx.input(4);
  if (sizes.rank() != 1) {
    return InvalidArgument("shape must be 1-D, got shape.shape = ",
                           sizes.shape().DebugString());
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(IntValues(sizes)));
  MR_ASSIGN_OR_RETURN(StridedSlicePlan plan,
                      PlanStridedSlice(shape, &ctx.input(1), &ctx.input(2),
                                       ctx.input(3), masks));
  MR_ASSIGN_OR_RETURN(TensorShape expected, plan.result.AsTensorShape());
  if (!(expected == dy.shape())) {
    return InvalidArgument("shape of dy was ", dy.shape().DebugString(),
                           " instead of ", expected.DebugString());
  }
  if (plan.is_identity) {
    const Tensor taken = ctx.TakeInput(4);
    ctx.set_output(0, taken.Reshaped(std::move(shape)));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, shape));
  MR_RETURN_IF_ERROR(mover.Zero(ctx, out));
  if (dy.num_elements() == 0) return OkStatus();
  const DimVector out_strides = RowMajorStrides(shape.dims());
  const DimVector dy_strides = RowMajorStrides(plan.sizes);
  StridedCopySpec spec;
  for (int i = 0; i < shape.rank(); ++i) {
    spec.Add(plan.sizes[i], dy_strides[i], out_strides[i] * plan.strides[i]);
    spec.dst_offset += plan.begin[i] * out_strides[i];
  }
  return mover.Copy(ctx, dy, out, spec);
}

MR_KERNELS(StridedSlice,
           Cpu){{.types = "T: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_8_32_TYPES,
                 .make = MakeOnCpu<StridedSliceKernel>,
                 .host = "begin, end, strides",
                 .views = "input"}};
MR_KERNELS(StridedSliceGrad,
           Cpu){{.types = "T: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_8_32_TYPES,
                 .make = MakeOnCpu<StridedSliceGradKernel>,
                 .host = "shape, begin, end, strides"}};

}  // namespace millrace::ops
