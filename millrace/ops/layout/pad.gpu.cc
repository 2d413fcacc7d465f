#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/mover.gpu.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
namespace {

// The value is zero, or input 2.
template <bool kGiven>
class PadGpu {
 public:
  static StatusOr<PadGpu> Make(const KernelInit& init) {
    PadGpu k;
    MR_ASSIGN_OR_RETURN(k.mover_, GpuMover::Make(init, {.pads = true}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    if (kGiven && ctx.input(2).rank() != 0) {
      return InvalidArgument("constant_values must be a scalar. Found: ",
                             ctx.input(2).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(const std::vector<PaddedDim> plan,
                        PlanPad(in, ctx.input(1)));
    MR_ASSIGN_OR_RETURN(TensorShape shape, PaddedShape(plan));
    if (shape == in.shape()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    const Tensor value = kGiven ? ctx.input(2) : ZeroElement(in.dtype());
    if (in.num_elements() == 0) return mover_.Fill(ctx, out, value);
    return mover_.Pad(ctx, in, out, plan, GpuMover::PadMode::kConstant, value);
  }

 private:
  GpuMover mover_;
};

}  // namespace

MR_KERNELS(Pad, Gpu){{.types = "T: " MR_GPU_TYPES,
                      .make = MakeKernel<PadGpu<false>>,
                      .host = "paddings",
                      .views = "input"},
                     {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(PadV2, Gpu){{.types = "T: " MR_GPU_TYPES,
                        .make = MakeKernel<PadGpu<true>>,
                        .host = "paddings, constant_values",
                        .views = "input"},
                       {.types = "T: int32", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
