#include <cmath>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/loops.h"
#include "millrace/ops/train/apply.h"

namespace millrace::ops {
namespace {

// The scalars of one step, in the type of the computation.
template <class S>
struct AdamScalars {
  S rate;  // lr with the bias correction
  S beta1, beta2, epsilon;
};

template <class T, bool kNesterov>
MR_TARGET_CLONES void Adam(T* var, T* m, T* v, const T* grad,
                           AdamScalars<ComputeType<T>> s, int64_t n) {
  using S = ComputeType<T>;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const S g = static_cast<S>(grad[i]);
    const S old_m = static_cast<S>(m[i]);
    const S old_v = static_cast<S>(v[i]);
    const S new_m = old_m + (g - old_m) * (S(1) - s.beta1);
    const S new_v = old_v + (g * g - old_v) * (S(1) - s.beta2);
    m[i] = static_cast<T>(new_m);
    v[i] = static_cast<T>(new_v);
    const S direction =
        kNesterov ? g * (S(1) - s.beta1) + s.beta1 * new_m : new_m;
    var[i] =
        static_cast<T>(static_cast<S>(var[i]) -
                       s.rate * direction / (std::sqrt(new_v) + s.epsilon));
  }
}

class AdamKernel {
 public:
  static StatusOr<AdamKernel> Make(const KernelInit& init) {
    AdamKernel k;
    MR_ASSIGN_OR_RETURN(k.nesterov_, init.Attr<bool>("use_nesterov"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    static constexpr Hyperparameter kScalars[] = {
        "beta1_power", "beta2_power", {"lr", "lr is not a scalar "},
        "beta1",       "beta2",       "epsilon"};
    for (int i = 0; i < 6; ++i) {
      MR_RETURN_IF_ERROR(CheckHyperparameter(ctx, 3 + i, kScalars[i]));
    }
    const Tensor& grad = ctx.input(9);
    return UpdateDense<ApplyTypes>(
        ctx, {"var", "m", "v"}, grad, "grad",
        [&]<class T>(LockedVariables& variables) {
          using S = ComputeType<T>;
          T* var = variables.data<T>(0);
          T* m = variables.data<T>(1);
          T* v = variables.data<T>(2);
          const T* g = grad.flat<T>().data();
          const S one(1);
          AdamScalars<S> s;
          s.rate = ScalarInput<T>(ctx, 5) *
                   std::sqrt(one - ScalarInput<T>(ctx, 4)) /
                   (one - ScalarInput<T>(ctx, 3));
          s.beta1 = ScalarInput<T>(ctx, 6);
          s.beta2 = ScalarInput<T>(ctx, 7);
          s.epsilon = ScalarInput<T>(ctx, 8);
          const auto update = nesterov_ ? Adam<T, true> : Adam<T, false>;
          return ShardElements(ctx, grad.num_elements(), 150 * sizeof(T),
                               [&](int64_t begin, int64_t end) {
                                 update(var + begin, m + begin, v + begin,
                                        g + begin, s, end - begin);
                               });
        });
  }

 private:
  bool nesterov_ = false;
};

}  // namespace

MR_KERNELS(ApplyAdam,
           Cpu){{.types = MR_APPLY_TYPES, .make = MakeKernel<AdamKernel>}};
MR_KERNELS(ResourceApplyAdam, Cpu){{.types = MR_APPLY_TYPES,
                                    .make = MakeKernel<AdamKernel>,
                                    .host = "var, m, v"}};

}  // namespace millrace::ops
