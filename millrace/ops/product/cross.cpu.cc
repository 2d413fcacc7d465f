// Kernel of Cross.
#include "millrace/ops/product/cross.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status RunCross(KernelContext& ctx) {
  const Tensor& a = ctx.input(0);
  const Tensor& b = ctx.input(1);
  MR_RETURN_IF_ERROR(CheckCross(a, b));
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, a.shape()));
  return Dispatch(RealTypes(), a.dtype(), [&]<class T>() {
    const T* x = a.flat<T>().data();
    const T* y = b.flat<T>().data();
    T* out = z->mutable_flat<T>().data();
    return ctx.ParallelFor(
        a.num_elements() / 3, 4, [&](int64_t begin, int64_t end) {
          using C = ComputeType<T>;
          for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
            const auto part = [&](int p, int q) {
              return static_cast<T>(Minus(
                  Times(static_cast<C>(x[i + p]), static_cast<C>(y[i + q])),
                  Times(static_cast<C>(x[i + q]), static_cast<C>(y[i + p]))));
            };
            out[i] = part(1, 2);
            out[i + 1] = part(2, 0);
            out[i + 2] = part(0, 1);
          }
        });
  });
}

}  // namespace

MR_KERNELS(Cross, Cpu){{.make = MakeFunctionKernel<RunCross>}};

}  // namespace millrace::ops
