#include "millrace/ops/nn/lrn.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(nn_lrn);

namespace millrace::ops {
namespace {

// As in the device text.
struct LrnArgs {
  uint64_t x = 0, y = 0, dy = 0, out = 0;
  int64_t total = 0, n = 0, radius = 0;
  float bias = 1, alpha = 1, beta = 0.5f;

  explicit LrnArgs(const LrnAttrs& a)
      : radius(a.radius), bias(a.bias), alpha(a.alpha), beta(a.beta) {}
};

template <bool kGradient>
class LrnGpu {
 public:
  static StatusOr<LrnGpu> Make(const KernelInit& init) {
    LrnGpu k;
    MR_ASSIGN_OR_RETURN(k.attrs_, LrnAttrs::Read(init));
    MR_ASSIGN_OR_RETURN(
        k.function_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(nn_lrn),
                        kGradient ? "LrnGradient" : "Lrn",
                        {{"T", GpuTypeName(RemoveRef(init.input_type(0)))}}));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(kGradient ? 1 : 0);
    if (kGradient) {
      MR_RETURN_IF_ERROR(CheckLrnGrad(ctx));
    } else if (x.rank() != 4) {
      return InvalidArgument("in must be 4-dimensional");
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    LrnArgs a(attrs_);
    a.x = x.device_address();
    if (kGradient) {
      a.dy = ctx.input(0).device_address();
      a.y = ctx.input(2).device_address();
    }
    a.out = out->device_address();
    a.total = x.num_elements();
    a.n = x.dim(3);
    return LaunchGpu(ctx, function_, GridOver(a.total), a);
  }

 private:
  LrnAttrs attrs_;
  GpuFunction function_;
};

}  // namespace

MR_KERNELS(LRN,
           Gpu){{.types = "T: float, half", .make = MakeKernel<LrnGpu<false>>}};
MR_KERNELS(LRNGrad,
           Gpu){{.types = "T: float, half", .make = MakeKernel<LrnGpu<true>>}};

}  // namespace millrace::ops
