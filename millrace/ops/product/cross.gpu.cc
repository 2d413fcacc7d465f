// Kernel of Cross on GPUs.
#include "millrace/ops/product/cross.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"

MR_GPU_SOURCE(product_cross);

namespace millrace::ops {
namespace {

class CrossGpu {
 public:
  static StatusOr<CrossGpu> Make(const KernelInit& init) {
    CrossGpu k;
    MR_ASSIGN_OR_RETURN(
        k.cross_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(product_cross), "Cross",
                        {{"T", GpuTypeName(RemoveRef(init.input_type(0)))}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    MR_RETURN_IF_ERROR(CheckCross(a, b));
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.AllocateOutput(0, a.shape()));
    const int64_t vectors = a.num_elements() / 3;
    return LaunchGpu(ctx, cross_, GridOver(vectors), GpuInput(a), GpuInput(b),
                     GpuOutput(*z), vectors);
  }

 private:
  GpuFunction cross_;
};

}  // namespace

MR_KERNELS(Cross,
           Gpu){{.types = "T: " MR_REAL_TYPES, .make = MakeKernel<CrossGpu>}};

}  // namespace millrace::ops
