// Kernels of Range and LinSpace.
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/reduction/range_size.op.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

Status RunRange(KernelContext& ctx) {
  constexpr const char* kNames[] = {"start", "limit", "delta"};
  for (int i = 0; i < 3; ++i) {
    // Vectors of one element have always been accepted here.
    const Tensor& t = ctx.input(i);
    if (t.num_elements() != 1 || t.rank() > 1) {
      return InvalidArgument(kNames[i], " must be a scalar, not shape ",
                             t.shape().DebugString());
    }
  }
  return Dispatch<int32_t, int64_t, float, double, Half, Bfloat16>(
      ctx.input_type(0), [&]<class T>() -> Status {
        using C = ComputeType<T>;
        using Wide = std::conditional_t<std::is_integral_v<T>, T, double>;
        const C start = static_cast<C>(ctx.input(0).scalar<T>());
        const C limit = static_cast<C>(ctx.input(1).scalar<T>());
        const C delta = static_cast<C>(ctx.input(2).scalar<T>());
        MR_ASSIGN_OR_RETURN(int64_t size,
                            NumbersInRange<Wide>(start, limit, delta));
        MR_ASSIGN_OR_RETURN(Tensor * z,
                            ctx.AllocateOutput(0, TensorShape({size})));
        T* out = z->mutable_flat<T>().data();
        for (int64_t i = 0; i < size; ++i) {
          out[i] = static_cast<T>(Plus(start, Times(static_cast<C>(i), delta)));
        }
        return OkStatus();
      });
}

Status RunLinSpace(KernelContext& ctx) {
  constexpr const char* kNames[] = {"start", "stop", "num"};
  for (int i = 0; i < 3; ++i) {
    if (ctx.input(i).rank() != 0) {
      return InvalidArgument(kNames[i], " must be a scalar, not shape ",
                             ctx.input(i).shape().DebugString());
    }
  }
  const int64_t num = IntValues(ctx.input(2))[0];
  if (num <= 0) return InvalidArgument("Requires num > 0: ", num);
  MR_ASSIGN_OR_RETURN(Tensor * z, ctx.AllocateOutput(0, TensorShape({num})));
  return Dispatch<float, double>(ctx.input_type(0), [&]<class T>() {
    const T start = ctx.input(0).scalar<T>();
    const T stop = ctx.input(1).scalar<T>();
    T* out = z->mutable_flat<T>().data();
    out[0] = start;
    if (num > 1) {
      const T step = (stop - start) / static_cast<T>(num - 1);
      for (int64_t i = 1; i < num - 1; ++i) {
        out[i] = start + step * static_cast<T>(i);
      }
      out[num - 1] = stop;
    }
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(Range, Cpu){{
    .types = "Tidx: bfloat16, half, float, double, int32, int64",
    .make = MakeFunctionKernel<RunRange>,
}};
MR_KERNELS(LinSpace, Cpu){{
    .types = "T: float, double",
    .make = MakeFunctionKernel<RunLinSpace>,
}};

}  // namespace millrace::ops
