#include <cmath>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/batch_norm.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<GlobalNormAttrs> GlobalNormAttrs::Make(const KernelInit& init) {
  GlobalNormAttrs a;
  MR_ASSIGN_OR_RETURN(a.epsilon, init.Attr<float>("variance_epsilon"));
  MR_ASSIGN_OR_RETURN(a.scales, init.Attr<bool>("scale_after_normalization"));
  return a;
}

Status CheckGlobalNorm(const KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional",
                           x.shape().DebugString());
  }
  for (int i = 1; i < 5; ++i) {
    constexpr const char* kNames[] = {"mean", "var", "beta", "gamma"};
    MR_RETURN_IF_ERROR(CheckChannels(ctx.input(i), kNames[i - 1], x.dim(3)));
  }
  return OkStatus();
}

namespace {

// The oldest form of normalization, with given statistics.
class GlobalNormKernel {
 public:
  static StatusOr<GlobalNormKernel> Make(const KernelInit& init) {
    GlobalNormKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, GlobalNormAttrs::Make(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckGlobalNorm(ctx));
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    return Dispatch<float, double, Half>(x.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* in = x.flat<T>().data();
      const T* p[4];
      for (int i = 0; i < 4; ++i) p[i] = ctx.input(i + 1).flat<T>().data();
      T* z = out->mutable_flat<T>().data();
      const int64_t n = x.dim(3);
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t c = i % n;
        S factor = S(1) / std::sqrt(static_cast<S>(p[1][c]) +
                                    static_cast<S>(attrs_.epsilon));
        if (attrs_.scales) factor *= static_cast<S>(p[3][c]);
        z[i] = static_cast<T>(
            (static_cast<S>(in[i]) - static_cast<S>(p[0][c])) * factor +
            static_cast<S>(p[2][c]));
      }
      return OkStatus();
    });
  }

 private:
  GlobalNormAttrs attrs_;
};

}  // namespace

MR_KERNELS(BatchNormWithGlobalNormalization, Cpu){
    {.types = "T: float, double, half", .make = MakeKernel<GlobalNormKernel>}};

}  // namespace millrace::ops
