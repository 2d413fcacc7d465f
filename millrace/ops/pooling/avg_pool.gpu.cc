#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/pooling/avg_pool_call.h"
#include "millrace/ops/pooling/max_pool.gpu.h"

MR_GPU_SOURCE(pooling_avg_pool);

namespace millrace::ops {
namespace {

class GpuAvgPoolKernel {
 public:
  static StatusOr<GpuAvgPoolKernel> Make(const KernelInit& init) {
    GpuAvgPoolKernel k;
    MR_ASSIGN_OR_RETURN(k.attrs_, PoolAttrs::Make(init));
    k.mean_ = PoolFunction(init, MR_GPU_SOURCE_OF(pooling_avg_pool), "Mean",
                           {{"T", GpuTypeName(init.input_type(0))}});
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolProblem p,
                        attrs_.Resolve(x.shape(), PoolOver::kSpace));
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(0, attrs_.OutputShape(p, x.shape())));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const GpuFunction function, mean_.For(p));
    return LaunchGpu(ctx, function, GridOver(out->num_elements()),
                     PoolNumbers(p), GpuInput(x), GpuOutput(*out));
  }

 private:
  PoolAttrs attrs_;
  PoolFunction mean_;
};

class GpuAvgPoolGradKernel {
 public:
  static StatusOr<GpuAvgPoolGradKernel> Make(const KernelInit& init) {
    GpuAvgPoolGradKernel k;
    k.rank_ = init.node().op->name == "AvgPool3DGrad" ? 5 : 4;
    MR_ASSIGN_OR_RETURN(k.attrs_, PoolAttrs::Make(init));
    k.grad_ = PoolFunction(init, MR_GPU_SOURCE_OF(pooling_avg_pool), "MeanGrad",
                           {{"T", GpuTypeName(init.input_type(1))}});
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const AvgPoolGradCall call,
                        AvgPoolGradCall::Of(ctx, attrs_, rank_));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call.input));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const GpuFunction function, grad_.For(call.problem));
    return LaunchGpu(ctx, function, GridOver(out->num_elements()),
                     PoolNumbers(call.problem), GpuInput(ctx.input(1)),
                     GpuOutput(*out));
  }

 private:
  int rank_ = 4;
  PoolAttrs attrs_;
  PoolFunction grad_;
};

#define MR_GPU_AVG_POOL_TYPES "T: half, bfloat16, float, double"

}  // namespace

MR_KERNELS(AvgPool, Gpu){
    {.types = MR_GPU_AVG_POOL_TYPES, .make = MakeKernel<GpuAvgPoolKernel>}};
MR_KERNELS(AvgPoolGrad, Gpu){{.types = MR_GPU_AVG_POOL_TYPES,
                              .make = MakeKernel<GpuAvgPoolGradKernel>,
                              .host = "orig_input_shape"}};
MR_KERNELS(AvgPool3D, Gpu){
    {.types = MR_GPU_AVG_POOL_TYPES, .make = MakeKernel<GpuAvgPoolKernel>}};
MR_KERNELS(AvgPool3DGrad, Gpu){{.types = MR_GPU_AVG_POOL_TYPES,
                                .make = MakeKernel<GpuAvgPoolGradKernel>,
                                .host = "orig_input_shape"}};

}  // namespace millrace::ops
