// Kernel of CompareAndBitpack on GPUs.
#include <utility>

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(elementwise_compare_and_bitpack);

namespace millrace::ops {
namespace {

class GpuBitpackKernel {
 public:
  static StatusOr<GpuBitpackKernel> Make(const KernelInit& init) {
    GpuBitpackKernel k;
    MR_ASSIGN_OR_RETURN(
        k.pack_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(elementwise_compare_and_bitpack),
                        "CompareAndBitpack",
                        {{"T", GpuTypeName(init.input_type(0))}}));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& input = ctx.input(0);
    const Tensor& threshold = ctx.input(1);
    if (threshold.rank() != 0) {
      return InvalidArgument("Compare must be a scalar, but saw shape: ",
                             threshold.shape().DebugString());
    }
    if (input.rank() == 0) {
      return InvalidArgument(
          "Input should be at least a vector, but saw a scalar.");
    }
    DimVector dims = input.shape().dims();
    if (dims.back() % 8 != 0) {
      return InvalidArgument(
          "Inner dimension of input should be divisible by 8, but saw shape: ",
          input.shape().DebugString());
    }
    dims.back() /= 8;
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    return LaunchGpu(ctx, pack_, GridOver(out->num_elements()), GpuInput(input),
                     GpuInput(threshold), GpuOutput(*out), out->num_elements());
  }

 private:
  GpuFunction pack_;
};

}  // namespace

MR_KERNELS(CompareAndBitpack, Gpu){
    {.types = "T: bool, half, float, double, int8, int16, int32, int64",
     .make = MakeKernel<GpuBitpackKernel>}};

}  // namespace millrace::ops
