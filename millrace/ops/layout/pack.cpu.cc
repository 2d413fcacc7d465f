#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {

StatusOr<PackKernel> PackKernel::Make(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(int64_t axis, init.Attr<int32_t>("axis"));
  return PackKernel{axis};
}

Status PackKernel::Run(KernelContext& ctx, const Mover& mover) const {
  const Tensor& first = ctx.input(0);
  const int n = ctx.num_inputs();
  const int rank = first.rank() + 1;
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis = ", axis, " not in [", -rank, ", ", rank,
                           ")");
  }
  const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
  DimVector dims = first.shape().dims();
  const int64_t row = first.shape().NumElements(at, rank - 1);
  for (int i = 0; i < n; ++i) {
    const Tensor& in = ctx.input(i);
    if (!(in.shape() == first.shape())) {
      return InvalidArgument(
          "Shapes of all inputs must match: values[0].shape = ",
          first.shape().DebugString(), " != values[", i,
          "].shape = ", in.shape().DebugString());
    }
  }
  const int64_t outer = first.shape().NumElements(0, at);
  dims.insert(dims.begin() + at, n);
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  if (n == 1) {
    const Tensor taken = ctx.TakeInput(0);
    ctx.set_output(0, taken.Reshaped(std::move(shape)));
    return OkStatus();
  }
  std::vector<Mover::Part> parts;
  parts.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    MR_RETURN_IF_ERROR(ctx.BindInput(i));
    parts.push_back({&ctx.input(i), row});
  }
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
  if (out->num_elements() == 0) return OkStatus();
  return mover.Join(ctx, parts, outer, out);
}

StatusOr<UnpackKernel> UnpackKernel::Make(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(int64_t axis, init.Attr<int32_t>("axis"));
  return UnpackKernel{axis};
}

Status UnpackKernel::Run(KernelContext& ctx, const Mover& mover) const {
  const Tensor& in = ctx.input(0);
  const int rank = in.rank();
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) {
    return InvalidArgument("axis = ", axis, " not in [", -rank, ", ", rank,
                           ")");
  }
  const int n = ctx.num_outputs();
  if (in.dim(static_cast<int>(at)) != n) {
    return InvalidArgument("Input shape axis ", at, " must equal ", n,
                           ", got shape ", in.shape().DebugString());
  }
  return CutAlong(ctx, mover, 0, static_cast<int>(at),
                  std::vector<int64_t>(static_cast<size_t>(n), 1),
                  {.drops_axis = true});
}

MR_KERNELS(Pack, Cpu){{.types = "T: " MR_ELEMENT_TYPES ", " MR_QUANTIZED_TYPES,
                       .make = MakeOnCpu<PackKernel>,
                       .views = "values"}};

MR_KERNELS(Unpack, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                         .make = MakeOnCpu<UnpackKernel>,
                         .views = "value"}};

}  // namespace millrace::ops
