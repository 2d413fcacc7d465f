#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.h"
#include "millrace/ops/elementwise/loops.h"
#include "millrace/ops/train/apply.h"

namespace millrace::ops {
namespace {

// Updates two halves at once, so that more memory requests are in flight.
template <class T>
MR_TARGET_CLONES void Descend(T* var, const T* delta, ComputeType<T> alpha,
                              int64_t n) {
  using S = ComputeType<T>;
  const int64_t half = n / 32 * 16;
  T* const far_var = var + half;
  const T* const far_delta = delta + half;
#pragma GCC ivdep
  for (int64_t i = 0; i < half; ++i) {
    var[i] = static_cast<T>(static_cast<S>(var[i]) -
                            alpha * static_cast<S>(delta[i]));
    far_var[i] = static_cast<T>(static_cast<S>(far_var[i]) -
                                alpha * static_cast<S>(far_delta[i]));
  }
#pragma GCC ivdep
  for (int64_t i = 2 * half; i < n; ++i) {
    var[i] = static_cast<T>(static_cast<S>(var[i]) -
                            alpha * static_cast<S>(delta[i]));
  }
}

Status RunGradientDescent(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckHyperparameter(ctx, 1, "alpha"));
  const Tensor& delta = ctx.input(2);
  return UpdateDense<ApplyTypes>(
      ctx, {"var"}, delta, "delta", [&]<class T>(LockedVariables& variables) {
        T* var = variables.data<T>(0);
        const T* grad = delta.flat<T>().data();
        const auto alpha = ScalarInput<T>(ctx, 1);
        return ShardElements(ctx, delta.num_elements(), 25 * sizeof(T),
                             [&](int64_t begin, int64_t end) {
                               Descend<T>(var + begin, grad + begin, alpha,
                                          end - begin);
                             });
      });
}

}  // namespace

MR_KERNELS(ApplyGradientDescent, Cpu){
    {.types = MR_APPLY_TYPES, .make = MakeFunctionKernel<RunGradientDescent>}};
MR_KERNELS(ResourceApplyGradientDescent,
           Cpu){{.types = MR_APPLY_TYPES,
                 .make = MakeFunctionKernel<RunGradientDescent>,
                 .host = "var"}};

}  // namespace millrace::ops
