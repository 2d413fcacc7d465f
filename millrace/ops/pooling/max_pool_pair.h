// Kernels of the gradient of max pooling, alone and as a pair with the pooling,
// which finds the largest elements once for both (pass/pair_pools.cc), for any
// device.
//
// Offsets is made with (const KernelInit&, DataType of elements) and computes
// on the device:
//   Status Find(KernelContext&, const PoolProblem&, const Tensor& x,
//               Tensor* output, Tensor* offsets) const;     // FindOffsets
//   Status Sum(KernelContext&, const PoolProblem&, const Tensor& offsets,
//              const Tensor& grad, Tensor* out) const;      // SumByOffsets
// Nodes is FusedKernels or its like.
#pragma once

#include "millrace/ops/pooling/max_pool.h"

namespace millrace::ops {

template <class Offsets>
class MaxPoolGradKernel : public MaxPoolBase {
 public:
  static StatusOr<MaxPoolGradKernel> Make(const KernelInit& init) {
    MaxPoolGradKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    k.offsets_ = Offsets(init, init.output_type(0));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const PoolAttrs attrs, Attrs(ctx, 3));
    MR_ASSIGN_OR_RETURN(const MaxPoolCall call,
                        MaxPoolCall::OfGrad(ctx, attrs));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x.shape()));
    if (out->num_elements() == 0) return OkStatus();
    const PoolProblem& p = call.problem;
    MR_ASSIGN_OR_RETURN(Tensor offsets,
                        ctx.AllocateTemp(OffsetType(p), call.output));
    if (offsets.num_elements() > 0) {
      MR_RETURN_IF_ERROR(offsets_.Find(ctx, p, x, nullptr, &offsets));
    }
    return offsets_.Sum(ctx, p, offsets, ctx.input(2), out);
  }

 private:
  Offsets offsets_;
};

// A kernel of the pair, whose window and strides are never inputs.
template <class Offsets, class Nodes>
class MaxPoolPairBase {
 public:
  Status Init(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(nodes_, Nodes::Make(init));
    offsets_ = Offsets(init, init.output_type(0));
    MR_ASSIGN_OR_RETURN(attrs_, PoolAttrs::Make(init));
    return OkStatus();
  }

 protected:
  Nodes nodes_;
  Offsets offsets_;
  PoolAttrs attrs_;
};

// The argmax offsets are empty if the gradient must find the largest elements
// itself.
template <class Offsets, class Nodes>
class MaxPoolWithOffsetsKernel : public MaxPoolPairBase<Offsets, Nodes> {
 public:
  static StatusOr<MaxPoolWithOffsetsKernel> Make(const KernelInit& init) {
    MaxPoolWithOffsetsKernel k;
    MR_RETURN_IF_ERROR(k.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    const StatusOr<MaxPoolCall> call =
        MaxPoolCall::Of(this->attrs_, x.shape(), PoolOver::kSpaceOrChannels);
    if (!call.ok() || OffsetType(call->problem) != DataType::kUint8) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(1, TensorShape({0})).status());
      return this->nodes_.RunOneByOne(ctx);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, call->output));
    MR_ASSIGN_OR_RETURN(Tensor* const offsets,
                        ctx.AllocateOutput(1, call->output));
    if (out->num_elements() == 0) return OkStatus();
    return this->offsets_.Find(ctx, call->problem, x, out, offsets);
  }
};

template <class Offsets, class Nodes>
class MaxPoolGradByOffsetsKernel : public MaxPoolPairBase<Offsets, Nodes> {
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
    const StatusOr<MaxPoolCall> call =
        MaxPoolCall::Of(this->attrs_, x, PoolOver::kSpaceOrChannels);
    if (!call.ok() || offsets.num_elements() == 0 ||
        offsets.shape() != call->output || grad.shape() != call->output) {
      return this->nodes_.RunOneByOne(ctx);
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, x));
    if (out->num_elements() == 0) return OkStatus();
    return this->offsets_.Sum(ctx, call->problem, offsets, grad, out);
  }
};

}  // namespace millrace::ops
