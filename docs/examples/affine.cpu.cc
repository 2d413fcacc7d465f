#include <cmath>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

class AffineKernel {
 public:
  static StatusOr<AffineKernel> Make(const KernelInit& init) {
    AffineKernel kernel;
    MR_ASSIGN_OR_RETURN(kernel.scale_, init.Attr<float>("scale"));
    MR_ASSIGN_OR_RETURN(kernel.offset_, init.Attr<float>("offset"));
    if (!std::isfinite(kernel.scale_) || !std::isfinite(kernel.offset_)) {
      return InvalidArgument(
          "scale and offset must be finite numbers, but are ", kernel.scale_,
          " and ", kernel.offset_);
    }
    return kernel;
  }

  Status Run(KernelContext& ctx) const {
    const TensorShape shape = ctx.input(0).shape();
    MR_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocateOutput({0}, 0, shape));
    return Dispatch<float, double>(ctx.input(0).dtype(), [&]<class T>() {
      const auto from = ctx.input(0).flat<T>();
      const auto to = y->mutable_flat<T>();
      return ctx.ParallelFor(shape.num_elements(), /*cost_nanos_per_unit=*/1,
                             [&](int64_t begin, int64_t end) {
                               for (int64_t i = begin; i < end; ++i) {
                                 to[i] = static_cast<T>(scale_) * from[i] +
                                         static_cast<T>(offset_);
                               }
                             });
    });
  }

 private:
  float scale_ = 1;
  float offset_ = 0;
};

}  // namespace

MR_KERNELS(Affine, Cpu){{
    .types = "T: float, double",
    .make = MakeKernel<AffineKernel>,
}};

}  // namespace millrace::ops
