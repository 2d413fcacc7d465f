#include <cmath>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/train/apply.h"

namespace millrace::ops {
namespace {

// The scalars of one step, in the type of the computation.
template <class S>
struct AmsGradScalars {
  S rate;  // lr with the bias correction
  S beta1, beta2, epsilon;
};

template <class T>
MR_TARGET_CLONES void AmsGrad(T* var, T* m, T* v, T* vhat, const T* grad,
                              AmsGradScalars<ComputeType<T>> s, int64_t n) {
  using S = ComputeType<T>;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const S g = static_cast<S>(grad[i]);
    const S old_m = static_cast<S>(m[i]);
    const S old_v = static_cast<S>(v[i]);
    const S old_vhat = static_cast<S>(vhat[i]);
    const S new_m = old_m + (g - old_m) * (S(1) - s.beta1);
    const S new_v = old_v + (g * g - old_v) * (S(1) - s.beta2);
    const S new_vhat = old_vhat < new_v ? new_v : old_vhat;
    m[i] = static_cast<T>(new_m);
    v[i] = static_cast<T>(new_v);
    vhat[i] = static_cast<T>(new_vhat);
    var[i] = static_cast<T>(static_cast<S>(var[i]) -
                            new_m * s.rate / (std::sqrt(new_vhat) + s.epsilon));
  }
}

Status RunAmsGrad(KernelContext& ctx) {
  static constexpr Hyperparameter kScalars[] = {
      "beta1_power", "beta2_power", {"lr", "lr is not a scalar "},
      "beta1",       "beta2",       "epsilon"};
  for (int i = 0; i < 6; ++i) {
    MR_RETURN_IF_ERROR(CheckHyperparameter(ctx, 4 + i, kScalars[i]));
  }
  const Tensor& grad = ctx.input(10);
  return UpdateDense<FloatTypes>(
      ctx, {"var", "m", "v", "vhat"}, grad, "grad",
      [&]<class T>(LockedVariables& variables) {
        using S = ComputeType<T>;
        T* var = variables.data<T>(0);
        T* m = variables.data<T>(1);
        T* v = variables.data<T>(2);
        T* vhat = variables.data<T>(3);
        const T* g = grad.flat<T>().data();
        const S one(1);
        AmsGradScalars<S> s;
        s.rate = ScalarInput<T>(ctx, 6) *
                 std::sqrt(one - ScalarInput<T>(ctx, 5)) /
                 (one - ScalarInput<T>(ctx, 4));
        s.beta1 = ScalarInput<T>(ctx, 7);
        s.beta2 = ScalarInput<T>(ctx, 8);
        s.epsilon = ScalarInput<T>(ctx, 9);
        return ctx.ParallelFor(
            grad.num_elements(), 3, [&](int64_t begin, int64_t end) {
              AmsGrad<T>(var + begin, m + begin, v + begin, vhat + begin,
                         g + begin, s, end - begin);
            });
      });
}

}  // namespace

MR_KERNELS(ResourceApplyAdamWithAmsgrad,
           Cpu){{.types = "T: bfloat16, double, float, half",
                 .make = MakeFunctionKernel<RunAmsGrad>,
                 .host = "var, m, v, vhat"}};

}  // namespace millrace::ops
