#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/nn/batch_norm.gpu.h"

namespace millrace::ops {
namespace {

class BatchNormGradGpu {
 public:
  static StatusOr<BatchNormGradGpu> Make(const KernelInit& init) {
    BatchNormGradGpu k;
    MR_ASSIGN_OR_RETURN(k.attrs_, BatchNormGradAttrs::Make(init));
    MR_ASSIGN_OR_RETURN(
        k.norm_, GpuBatchNorm::Make(init, GpuBatchNorm::What::kGradient));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const ChannelLayout l, attrs_.Check(ctx));
    const TensorShape channels({l.channels});
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    MR_ASSIGN_OR_RETURN(Tensor* const d_scale, ctx.AllocateOutput(1, channels));
    MR_ASSIGN_OR_RETURN(Tensor* const d_offset,
                        ctx.AllocateOutput(2, channels));
    for (int i = 3; i < 5; ++i) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(i, TensorShape({0})).status());
    }
    if (x.num_elements() == 0) {
      MR_RETURN_IF_ERROR(norm_.Fill(ctx, d_scale, 0));
      return norm_.Fill(ctx, d_offset, 0);
    }
    BatchNormArgs a;
    MR_RETURN_IF_ERROR(GpuBatchNorm::SetLayout(l, &a));
    MR_ASSIGN_OR_RETURN(
        const Tensor factors,
        ctx.AllocateTemp(DataType::kFloat, TensorShape({3, l.channels})));
    a.dy = ctx.input(0).device_address();
    a.x = x.device_address();
    a.out = out->device_address();
    a.scale = ctx.input(2).device_address();
    a.mean = ctx.input(3).device_address();
    a.variance = ctx.input(4).device_address();
    a.new_mean = d_offset->device_address();
    a.new_variance = d_scale->device_address();
    a.factors = factors.device_address();
    a.epsilon = attrs_.epsilon;
    a.training = attrs_.training ? 1 : 0;
    MR_RETURN_IF_ERROR(norm_.Measure(ctx, a));
    return norm_.Apply(ctx, a);
  }

 private:
  BatchNormGradAttrs attrs_;
  GpuBatchNorm norm_;
};

#define MR_NORM_GRAD_ON_GPU "T: float, half, bfloat16; U: float"

}  // namespace

MR_KERNELS(FusedBatchNormGrad,
           Gpu){{.types = "T: float", .make = MakeKernel<BatchNormGradGpu>}};
MR_KERNELS(FusedBatchNormGradV2, Gpu){
    {.types = MR_NORM_GRAD_ON_GPU, .make = MakeKernel<BatchNormGradGpu>}};
MR_KERNELS(FusedBatchNormGradV3, Gpu){
    {.types = MR_NORM_GRAD_ON_GPU, .make = MakeKernel<BatchNormGradGpu>}};

}  // namespace millrace::ops
