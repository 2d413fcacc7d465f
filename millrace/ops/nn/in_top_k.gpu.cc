#include "millrace/ops/nn/in_top_k.h"

#include "millrace/device/cuda/launch.h"
#include "millrace/kernel/kernel_decl.h"

MR_GPU_SOURCE(nn_in_top_k);

namespace millrace::ops {
namespace {

class InTopKGpu {
 public:
  static StatusOr<InTopKGpu> Make(const KernelInit& init) {
    InTopKGpu kernel;
    kernel.has_k_ = init.HasAttr("k");
    if (kernel.has_k_) {
      MR_ASSIGN_OR_RETURN(kernel.k_, init.Attr<int32_t>("k"));
    }
    MR_ASSIGN_OR_RETURN(
        kernel.in_top_k_,
        LoadGpuFunction(init, MR_GPU_SOURCE_OF(nn_in_top_k), "InTopK",
                        {{"L", GpuTypeName(RemoveRef(init.input_type(1)))}}));
    return kernel;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& predictions = ctx.input(0);
    const Tensor& targets = ctx.input(1);
    int64_t k = k_;
    if (!has_k_) {
      if (ctx.input(2).rank() != 0) {
        return InvalidArgument("k must be 0-D, got shape ",
                               ctx.input(2).shape().DebugString());
      }
      k = IntValues(ctx.input(2))[0];
    }
    MR_RETURN_IF_ERROR(CheckInTopK(predictions.shape(), targets.shape()));
    const int64_t rows = predictions.dim(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape({rows})));
    constexpr int64_t kWarps = 8;
    return LaunchGpu(
        ctx, in_top_k_,
        GpuGrid{.blocks = (rows + kWarps - 1) / kWarps, .strided = true},
        GpuInput(predictions), GpuInput(targets), GpuOutput(*out), rows,
        predictions.dim(1), k);
  }

 private:
  bool has_k_ = false;
  int64_t k_ = 0;
  GpuFunction in_top_k_;
};

}  // namespace

MR_KERNELS(InTopK, Gpu){{.make = MakeKernel<InTopKGpu>}};
MR_KERNELS(InTopKV2, Gpu){{.make = MakeKernel<InTopKGpu>, .host = "k"}};

}  // namespace millrace::ops
