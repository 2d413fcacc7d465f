#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/loops.h"
#include "millrace/ops/train/apply.h"

namespace millrace::ops {
namespace {

template <class T, bool kNesterov>
MR_TARGET_CLONES void Momentum(T* var, T* accum, const T* grad,
                               ComputeType<T> lr, ComputeType<T> momentum,
                               int64_t n) {
  using S = ComputeType<T>;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const S g = static_cast<S>(grad[i]);
    const T a = static_cast<T>(static_cast<S>(accum[i]) * momentum + g);
    accum[i] = a;
    const S step = kNesterov ? g * lr + static_cast<S>(a) * momentum * lr
                             : lr * static_cast<S>(a);
    var[i] = static_cast<T>(static_cast<S>(var[i]) - step);
  }
}

class MomentumKernel {
 public:
  static StatusOr<MomentumKernel> Make(const KernelInit& init) {
    MomentumKernel k;
    MR_ASSIGN_OR_RETURN(k.nesterov_, init.Attr<bool>("use_nesterov"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(CheckHyperparameter(ctx, 2, "lr"));
    MR_RETURN_IF_ERROR(CheckHyperparameter(ctx, 4, "momentum"));
    const Tensor& grad = ctx.input(3);
    return UpdateDense<ApplyTypes>(
        ctx, {"var", "accum"}, grad, "grad",
        [&]<class T>(LockedVariables& variables) {
          T* var = variables.data<T>(0);
          T* accum = variables.data<T>(1);
          const T* g = grad.flat<T>().data();
          const auto lr = ScalarInput<T>(ctx, 2);
          const auto momentum = ScalarInput<T>(ctx, 4);
          const auto update =
              nesterov_ ? Momentum<T, true> : Momentum<T, false>;
          return ShardElements(ctx, grad.num_elements(), 40 * sizeof(T),
                               [&](int64_t begin, int64_t end) {
                                 update(var + begin, accum + begin, g + begin,
                                        lr, momentum, end - begin);
                               });
        });
  }

 private:
  bool nesterov_ = false;
};

}  // namespace

MR_KERNELS(ApplyMomentum,
           Cpu){{.types = MR_APPLY_TYPES, .make = MakeKernel<MomentumKernel>}};
MR_KERNELS(ResourceApplyMomentum, Cpu){{.types = MR_APPLY_TYPES,
                                        .make = MakeKernel<MomentumKernel>,
                                        .host = "var, accum"}};

}  // namespace millrace::ops
