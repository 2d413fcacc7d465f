// Kernels of Range and LinSpace on GPUs. As in TensorFlow, LinSpace lies on the
// host.
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/reduction/range_size.op.h"
#include "millrace/tensor/dispatch.h"

MR_GPU_SOURCE(reduction_range);

namespace millrace::ops {
namespace {

class GpuRangeKernel {
 public:
  static StatusOr<GpuRangeKernel> Make(const KernelInit& init) {
    GpuRangeKernel k;
    MR_ASSIGN_OR_RETURN(
        k.range_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(reduction_range), "Range",
                        {{"T", GpuTypeName(init.output_type(0))}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    constexpr const char* kNames[] = {"start", "limit", "delta"};
    for (int i = 0; i < 3; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.num_elements() == 1 && t.rank() <= 1) continue;
      return InvalidArgument(kNames[i], " must be a scalar, not shape ",
                             t.shape().DebugString());
    }
    return Dispatch<int64_t, float, double, Half, Bfloat16>(
        ctx.input_type(0), [&]<class T>() -> Status {
          using C = ComputeType<T>;
          using Wide = std::conditional_t<std::is_integral_v<T>, T, double>;
          const C start = static_cast<C>(ctx.input(0).scalar<T>());
          const C limit = static_cast<C>(ctx.input(1).scalar<T>());
          const C delta = static_cast<C>(ctx.input(2).scalar<T>());
          MR_ASSIGN_OR_RETURN(const int64_t size,
                              NumbersInRange<Wide>(start, limit, delta));
          MR_ASSIGN_OR_RETURN(Tensor* const z,
                              ctx.AllocateOutput(0, TensorShape({size})));
          return LaunchGpu(ctx, range_, GridOver(size), GpuOutput(*z), start,
                           delta, size);
        });
  }

 private:
  GpuFunction range_;
};

}  // namespace

MR_KERNELS(Range, Gpu){{.types = "Tidx: bfloat16, half, float, double, int64",
                        .make = MakeKernel<GpuRangeKernel>,
                        .host = "start, limit, delta"},
                       {.types = "Tidx: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(LinSpace,
           Gpu){{.types = "T: float, double", .make = OnHost, .host = "*"}};

}  // namespace millrace::ops
