#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/indexing/plans/move_kernels.h"
#include "millrace/ops/state/variable_lookup.h"

namespace millrace::ops {
namespace {

// Returns the strides of `value` broadcast to the dimensions of `slice`: 0
// where it is repeated.
StatusOr<DimVector> BroadcastStrides(const TensorShape& value,
                                     const TensorShape& slice) {
  const DimVector from = value.dims();
  const DimVector strides = RowMajorStrides(from);
  DimVector out(static_cast<size_t>(slice.rank()), 0);
  for (int i = 1; i <= value.rank(); ++i) {
    const int64_t size = from[value.rank() - i];
    if (size == 1) continue;
    if (i > slice.rank() || size != slice.dim(slice.rank() - i)) {
      return InvalidArgument("Cannot broadcast input shape ",
                             value.DebugString(), " into final shape ",
                             slice.DebugString());
    }
    out[slice.rank() - i] = strides[value.rank() - i];
  }
  return out;
}

// Copies the value into the slice.
Status AssignSlice(KernelContext& ctx, const Mover& mover,
                   const StridedCopySpec& spec, Tensor* target) {
  for (const int64_t size : spec.dims) {
    if (size == 0) return OkStatus();
  }
  return mover.Copy(ctx, ctx.input(4), target, spec);
}

}  // namespace

StatusOr<StridedAssignKernel> StridedAssignKernel::Make(
    const KernelInit& init) {
  StridedAssignKernel k;
  MR_ASSIGN_OR_RETURN(k.masks_,
                      StridedSliceMasks::FromAttrs(init.node().attrs));
  MR_ASSIGN_OR_RETURN(k.type_, init.Attr<DataType>("T"));
  return k;
}

Status StridedAssignKernel::Run(KernelContext& ctx, const Mover& mover) const {
  if (ctx.num_outputs() > 0 && !ctx.ref_input(0)) return Update(ctx, mover);
  Ref<Variable> variable = ctx.shared_ref_input(0);
  if (variable == nullptr) {
    MR_ASSIGN_OR_RETURN(variable, LookupVariable(ctx, 0));
  }
  if (variable->dtype() != type_) {
    return InvalidArgument("l-value dtype ", DataTypeName(variable->dtype()),
                           " does not match r-value dtype ",
                           DataTypeName(type_));
  }
  {
    WriterLock lock(variable->mu());
    if (!variable->initialized_locked()) return variable->Uninitialized();
    // Nothing is copied if the slice does not fit.
    MR_ASSIGN_OR_RETURN(const StridedCopySpec spec,
                        Plan(ctx, variable->value_locked().shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const target,
                        variable->MutableLocked(ctx.allocator()));
    ctx.to_end = true;
    MR_RETURN_IF_ERROR(AssignSlice(ctx, mover, spec, target));
  }
  if (ctx.num_outputs() > 0) ctx.set_output_ref(0, std::move(variable));
  return OkStatus();
}

Status StridedAssignKernel::Update(KernelContext& ctx,
                                   const Mover& mover) const {
  const TensorShape shape = ctx.input(0).shape();
  MR_ASSIGN_OR_RETURN(const StridedCopySpec spec, Plan(ctx, shape));
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.ForwardOrAllocateOutput({0}, 0, shape));
  const Tensor& in = ctx.input(0);
  if (in.num_elements() > 0 && in.address() != out->address()) {
    MR_RETURN_IF_ERROR(mover.CopyAll(ctx, in, out));
  }
  return AssignSlice(ctx, mover, spec, out);
}

StatusOr<StridedCopySpec> StridedAssignKernel::Plan(
    KernelContext& ctx, const TensorShape& shape) const {
  MR_ASSIGN_OR_RETURN(const StridedSlicePlan plan,
                      PlanStridedSlice(shape, &ctx.input(1), &ctx.input(2),
                                       ctx.input(3), masks_));
  MR_ASSIGN_OR_RETURN(const TensorShape slice, plan.result.AsTensorShape());
  StridedCopySpec spec;
  if (slice.num_elements() == 0) {  // as in stock, any value fits
    spec.Add(0, 0, 0);
    return spec;
  }
  MR_ASSIGN_OR_RETURN(const DimVector value_strides,
                      BroadcastStrides(ctx.input(4).shape(), slice));
  const DimVector strides = RowMajorStrides(shape.dims());
  int next = 0;  // dimension of the slice
  for (int d = 0; d < shape.rank(); ++d) {
    spec.dst_offset += plan.begin[d] * strides[d];
    // The slice has the same dimensions, except for some of size 1.
    if (plan.sizes[d] == 1) continue;
    while (slice.dim(next) == 1) ++next;
    spec.Add(plan.sizes[d], value_strides[next++],
             strides[d] * plan.strides[d]);
  }
  return spec;
}

#define MR_SLICE_TYPES "T: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_8_32_TYPES

MR_KERNELS(StridedSliceAssign, Cpu){{.types = MR_SLICE_TYPES,
                                     .make = MakeOnCpu<StridedAssignKernel>,
                                     .host = "begin, end, strides"}};
MR_KERNELS(ResourceStridedSliceAssign,
           Cpu){{.types = MR_SLICE_TYPES,
                 .make = MakeOnCpu<StridedAssignKernel>,
                 .host = "ref, begin, end, strides"}};
MR_KERNELS(TensorStridedSliceUpdate,
           Cpu){{.types = MR_SLICE_TYPES,
                 .make = MakeOnCpu<StridedAssignKernel>,
                 .host = "begin, end, strides"}};

}  // namespace millrace::ops
