// Kernels of incomplete gamma and beta functions, inverses of error functions
// and other special functions on GPUs.
#include <memory>
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"

MR_GPU_SOURCE(arithmetic_unary);
MR_GPU_SOURCE(arithmetic_binary);
MR_GPU_SOURCE(arithmetic_special_functions_shared);
MR_GPU_SOURCE(arithmetic_gamma_slope_shared);
MR_GPU_SOURCE(arithmetic_special);

namespace millrace::ops {
namespace {

constexpr char kGpuSpecialTypes[] = "T: float, double";
constexpr ElementwiseTextMaker kSpecialText =
    SlowOpText<MR_GPU_SOURCE_OF(arithmetic_unary),
               MR_GPU_SOURCE_OF(arithmetic_binary),
               MR_GPU_SOURCE_OF(arithmetic_special_functions_shared),
               MR_GPU_SOURCE_OF(arithmetic_gamma_slope_shared),
               MR_GPU_SOURCE_OF(arithmetic_special)>;
constexpr KernelEntry kGpuSpecial =
    GpuElementwise<kSpecialText>(kGpuSpecialTypes);

// Requires that a, b and x are scalars or have the same shape.
class GpuBetaincKernel {
 public:
  static StatusOr<GpuBetaincKernel> Make(const KernelInit& init) {
    GpuBetaincKernel k;
    MR_ASSIGN_OR_RETURN(const ElementwiseText text, kSpecialText(init));
    MR_ASSIGN_OR_RETURN(k.kernel_, MakeGpuElementwiseKernel(
                                       init, text, GpuOperands::kBroadcast));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    constexpr const char* kNames[] = {"a", "b", "x"};
    for (int i = 0; i < 3; ++i) {
      const TensorShape& s = ctx.input(i).shape();
      for (int j = 0; j < i && s.rank() != 0; ++j) {
        const TensorShape& earlier = ctx.input(j).shape();
        if (earlier.rank() == 0 || earlier == s) continue;
        return InvalidArgument("Shapes of ", kNames[j], " and ", kNames[i],
                               " are inconsistent: ", earlier.DebugString(),
                               " vs. ", s.DebugString());
      }
    }
    return kernel_->Run(ctx);
  }

 private:
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace

MR_KERNELS(Igamma, Gpu){kGpuSpecial};
MR_KERNELS(Igammac, Gpu){kGpuSpecial};
MR_KERNELS(IgammaGradA, Gpu){kGpuSpecial};
MR_KERNELS(Zeta, Gpu){kGpuSpecial};
MR_KERNELS(Polygamma, Gpu){kGpuSpecial};
MR_KERNELS(NextAfter, Gpu){kGpuSpecial};
MR_KERNELS(Erfinv, Gpu){kGpuSpecial};
MR_KERNELS(Ndtri, Gpu){kGpuSpecial};
MR_KERNELS(Betainc, Gpu){
    {.types = kGpuSpecialTypes, .make = MakeKernel<GpuBetaincKernel>}};

}  // namespace millrace::ops
