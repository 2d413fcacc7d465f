// Kernel of ClipByValue on GPUs.
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/elementwise/elementwise.gpu.h"
#include "millrace/ops/elementwise/program.gpu.h"

MR_GPU_SOURCE(elementwise_clip_by_value);

namespace millrace::ops {
namespace {

constexpr ElementwiseTextMaker kClipText =
    OpText<MR_GPU_SOURCE_OF(elementwise_clip_by_value)>;

class GpuClipKernel {
 public:
  static StatusOr<GpuClipKernel> Make(const KernelInit& init) {
    GpuClipKernel k;
    MR_ASSIGN_OR_RETURN(const ElementwiseText text, kClipText(init));
    MR_ASSIGN_OR_RETURN(
        k.clip_, MakeGpuElementwiseKernel(init, text, GpuOperands::kBroadcast));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const TensorShape& x = ctx.input(0).shape();
    for (int i : {1, 2}) {
      const TensorShape& bound = ctx.input(i).shape();
      if (bound.rank() == 0 || bound == x) continue;
      return InvalidArgument(
          "clip_value_min and clip_value_max must be either of the same shape "
          "as input, or a scalar. input shape: ",
          x.DebugString(),
          "clip_value_min shape: ", ctx.input(1).shape().DebugString(),
          "clip_value_max shape: ", ctx.input(2).shape().DebugString());
    }
    return clip_->Run(ctx);
  }

 private:
  std::unique_ptr<Kernel> clip_;
};

}  // namespace

// Without `.text`: in a group, bounds that broadcast would be no error.
MR_KERNELS(ClipByValue, Gpu){
    {.types = "T: half, bfloat16, float, double, int8, int16, int64, uint8, "
              "uint16, complex64, complex128",
     .make = MakeKernel<GpuClipKernel>},
    kInt32OnHost};

}  // namespace millrace::ops
