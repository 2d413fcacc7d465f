// A max pooling and its gradient that share argmax offsets
// (pass/pair_pools.cc), for GPUs.
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/fused/lazy_fused_kernels.h"
#include "millrace/ops/pooling/max_pool.gpu.h"
#include "millrace/ops/pooling/max_pool.h"

namespace millrace::ops {
namespace {

class GpuPoolPairBase {
 public:
  Status Init(const KernelInit& init) {
    // Nodes from outside are refused.
    if (init.node().fused == nullptr) return FusedKernels::Make(init).status();
    nodes_ = LazyFusedKernels(init);
    offsets_ = GpuPoolOffsets(init, init.input_type(0));
    MR_ASSIGN_OR_RETURN(attrs_, PoolAttrs::Make(init));
    return OkStatus();
  }

 protected:
  LazyFusedKernels nodes_;
  GpuPoolOffsets offsets_;
  PoolAttrs attrs_;
};

// The argmax offsets are empty if the gradient must find the largest elements
// itself.
class GpuMaxPoolWithOffsetsKernel : public GpuPoolPairBase {
 public:
  static StatusOr<GpuMaxPoolWithOffsetsKernel> Make(const KernelInit& init) {
    GpuMaxPoolWithOffsetsKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const StatusOr<Pooling> pooling =
        PoolingOf(attrs_, x.shape(), PoolOver::kSpaceOrChannels);
    if (!pooling.ok() || OffsetType(pooling->problem) != DataType::kUint8) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(1, TensorShape({0})).status());
      return nodes_.RunOneByOne(ctx);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, pooling->output));
    MR_ASSIGN_OR_RETURN(Tensor* const offsets,
                        ctx.AllocateOutput(1, pooling->output));
    if (out->num_elements() == 0) return OkStatus();
    return offsets_.Find(ctx, pooling->problem, x, out, offsets);
  }
};

class GpuMaxPoolGradByOffsetsKernel : public GpuPoolPairBase {
 public:
  static StatusOr<GpuMaxPoolGradByOffsetsKernel> Make(const KernelInit& init) {
    GpuMaxPoolGradByOffsetsKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(2);
    const Tensor& offsets = ctx.input(3);
    const TensorShape x = ctx.input(0).shape();
    const StatusOr<Pooling> pooling =
        PoolingOf(attrs_, x, PoolOver::kSpaceOrChannels);
    if (!pooling.ok() || offsets.num_elements() == 0 ||
        offsets.shape() != pooling->output || grad.shape() != pooling->output) {
      return nodes_.RunOneByOne(ctx);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x));
    if (out->num_elements() == 0) return OkStatus();
    return offsets_.Sum(ctx, pooling->problem, offsets, grad, out);
  }
};

}  // namespace

MR_KERNELS(_MaxPoolWithOffsets,
           Gpu){{.types = "T: half, bfloat16, float, double",
                 .make = MakeKernel<GpuMaxPoolWithOffsetsKernel>}};
MR_KERNELS(_MaxPoolGradByOffsets,
           Gpu){{.types = "T: half, bfloat16, float, double",
                 .make = MakeKernel<GpuMaxPoolGradByOffsetsKernel>}};

}  // namespace millrace::ops
