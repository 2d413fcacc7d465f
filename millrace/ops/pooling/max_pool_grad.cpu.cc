// Gradients of max pooling, alone and as a pair with the pooling, which finds
// the largest elements once for both (pass/pair_pools.cc).
#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/pooling/max_pool.h"

namespace millrace::ops {
namespace {

class MaxPoolGradKernel : public MaxPoolBase {
 public:
  static StatusOr<MaxPoolGradKernel> Make(const KernelInit& init) {
    MaxPoolGradKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 3));
    MR_ASSIGN_OR_RETURN(
        const Pooling pooling,
        PoolingOf(attrs, x.shape(), PoolOver::kSpaceOrChannels));
    MR_RETURN_IF_ERROR(ExpectRank("tensor_out", ctx.input(1), x.rank()));
    MR_RETURN_IF_ERROR(ExpectRank("out_backprop", ctx.input(2), x.rank()));
    MR_RETURN_IF_ERROR(
        ExpectShape("orig_output", ctx.input(1), pooling.output));
    MR_RETURN_IF_ERROR(ExpectShape("grad", ctx.input(2), pooling.output));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (out->num_elements() == 0) return OkStatus();
    const PoolProblem& p = pooling.problem;
    MR_ASSIGN_OR_RETURN(Tensor offsets,
                        ctx.AllocateTemp(OffsetType(p), pooling.output));
    MR_RETURN_IF_ERROR(FindOffsets(ctx, p, x, nullptr, &offsets));
    return SumByOffsets(ctx, p, offsets, ctx.input(2), out);
  }
};

// A kernel of the pair, whose window and strides are never inputs.
class MaxPoolPairBase {
 public:
  Status Init(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(kernels_, FusedKernels::Make(init));
    MR_ASSIGN_OR_RETURN(attrs_, PoolAttrs::Make(init));
    return OkStatus();
  }

 protected:
  FusedKernels kernels_;
  PoolAttrs attrs_;
};

// The argmax offsets are empty if the gradient must find the largest elements
// itself.
class MaxPoolWithOffsetsKernel : public MaxPoolPairBase {
 public:
  static StatusOr<MaxPoolWithOffsetsKernel> Make(const KernelInit& init) {
    MaxPoolWithOffsetsKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const StatusOr<Pooling> pooling =
        PoolingOf(attrs_, x.shape(), PoolOver::kSpaceOrChannels);
    if (!pooling.ok() || OffsetType(pooling->problem) != DataType::kUint8) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(1, TensorShape({0})).status());
      return kernels_.RunOneByOne(ctx);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, pooling->output));
    MR_ASSIGN_OR_RETURN(Tensor* const offsets,
                        ctx.AllocateOutput(1, pooling->output));
    if (out->num_elements() == 0) return OkStatus();
    return FindOffsets(ctx, pooling->problem, x, out, offsets);
  }
};

class MaxPoolGradByOffsetsKernel : public MaxPoolPairBase {
 public:
  static StatusOr<MaxPoolGradByOffsetsKernel> Make(const KernelInit& init) {
    MaxPoolGradByOffsetsKernel k;
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
      return kernels_.RunOneByOne(ctx);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x));
    return SumByOffsets(ctx, pooling->problem, offsets, grad, out);
  }
};

}  // namespace

MR_KERNELS(MaxPoolGrad, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<MaxPoolGradKernel>}};
MR_KERNELS(MaxPoolGradV2, Cpu){
    {.types = "T: " MR_REAL_TYPES, .make = MakeKernel<MaxPoolGradKernel>}};
MR_KERNELS(MaxPool3DGrad, Cpu){
    {.types = "T: float; TInput: float", .make = MakeKernel<MaxPoolGradKernel>},
    {.types = "T: bfloat16; TInput: bfloat16",
     .make = MakeKernel<MaxPoolGradKernel>}};
MR_KERNELS(_MaxPoolWithOffsets,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<MaxPoolWithOffsetsKernel>}};
MR_KERNELS(_MaxPoolGradByOffsets,
           Cpu){{.types = "T: " MR_REAL_TYPES,
                 .make = MakeKernel<MaxPoolGradByOffsetsKernel>}};

}  // namespace millrace::ops
