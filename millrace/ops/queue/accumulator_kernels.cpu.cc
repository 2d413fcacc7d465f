#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/queue/accumulator.h"
#include "millrace/ops/queue/resource_handle.h"

namespace millrace::ops {
namespace {

Status CheckScalarArgument(const Tensor& t, absl::string_view name) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument("Argument ", name,
                         " must be scalar, but had bad shape ",
                         t.shape().DebugString());
}

// The gradient is the node's `port`-th input, or output if it takes one.
Status CheckDtype(const KernelContext& ctx, const Accumulator& a, bool takes,
                  size_t port, bool sparse) {
  const NodeInfo& node = ctx.node();
  std::vector<DataType> inputs(node.input_types.begin(),
                               node.input_types.end());
  std::vector<DataType> outputs(node.output_types.begin(),
                                node.output_types.end());
  DataType& dtype = takes ? outputs[port] : inputs[port];
  if (dtype != a.options().dtype) {
    dtype = a.options().dtype;
    return SignatureMismatch(node, inputs, outputs);
  }
  if (a.options().sparse != sparse) {
    return InvalidArgument("the accumulator is ", sparse
                                                      ? "dense, the op sparse"
                                                      : "sparse, the op dense");
  }
  return OkStatus();
}

Status RunApply(KernelContext& ctx) {
  MR_ASSIGN(const Ref<Accumulator> a, LookupInput<Accumulator>(ctx, 0));
  MR_RETURN_IF_ERROR(CheckScalarArgument(ctx.input(1), "local_step"));
  MR_RETURN_IF_ERROR(CheckDtype(ctx, *a, false, 2, false));
  const int64_t local_step = ctx.input(1).scalar<int64_t>();
  return a->ApplyDense(ctx, local_step, ctx.TakeInput(2));
}

class ApplySparseKernel {
 public:
  static StatusOr<ApplySparseKernel> Make(const KernelInit& init) {
    ApplySparseKernel k;
    MR_ASSIGN(k.has_shape_, init.Attr<bool>("has_known_shape"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(const Ref<Accumulator> a, LookupInput<Accumulator>(ctx, 0));
    MR_RETURN_IF_ERROR(CheckScalarArgument(ctx.input(1), "local_step"));
    MR_RETURN_IF_ERROR(CheckDtype(ctx, *a, false, 3, true));
    return a->ApplySparse(ctx, ctx.input(1).scalar<int64_t>(), ctx.input(2),
                          ctx.input(3), has_shape_ ? &ctx.input(4) : nullptr);
  }

 private:
  bool has_shape_ = false;
};

StatusOr<int32_t> NumRequired(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckScalarArgument(ctx.input(1), "num_required"));
  const int32_t n = ctx.input(1).scalar<int32_t>();
  if (n > 0) return n;
  return InvalidArgument("Argument num_required must be positive, but was ", n);
}

// Of a sparse gradient: indices, values, shape as far as it is known.
Status SetSparse(KernelContext& ctx, const Accumulator::Options& options,
                 Accumulator::Sum sum) {
  ctx.set_output(0, Tensor::Vector<int64_t>(absl::MakeConstSpan(sum.indices)));
  std::vector<int64_t> shape;
  for (int64_t size : sum.values.shape().dims()) shape.push_back(size);
  const bool known = options.shape.known_rank() && options.shape.rank() > 0;
  shape[0] = known ? options.shape.dim(0) : kUnknownDim;
  ctx.set_output(2, Tensor::Vector<int64_t>(absl::MakeConstSpan(shape)));
  ctx.set_output(1, std::move(sum.values));
  return OkStatus();
}

template <bool kSparse>
class TakeKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Accumulator>> a = LookupInput<Accumulator>(ctx, 0);
    if (!a.ok()) return std::move(done)(a.status());
    const StatusOr<int32_t> n = NumRequired(ctx);
    if (!n.ok()) return std::move(done)(n.status());
    Status status = CheckDtype(ctx, **a, true, kSparse ? 1 : 0, kSparse);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*a)->Take(
        ctx, *n,
        [&ctx, options = (*a)->options()](Accumulator::Sum sum) {
          if (kSparse) return SetSparse(ctx, options, std::move(sum));
          ctx.set_output(0, std::move(sum.values));
          return OkStatus();
        },
        std::move(done));
  }
};

Status RunNumAccumulated(KernelContext& ctx) {
  MR_ASSIGN(const Ref<Accumulator> a, LookupInput<Accumulator>(ctx, 0));
  ctx.set_output(
      0, Tensor::Scalar<int32_t>(static_cast<int32_t>(a->num_accumulated())));
  return OkStatus();
}

Status RunSetGlobalStep(KernelContext& ctx) {
  MR_ASSIGN(const Ref<Accumulator> a, LookupInput<Accumulator>(ctx, 0));
  MR_RETURN_IF_ERROR(CheckScalarArgument(ctx.input(1), "new_global_step"));
  a->SetGlobalStep(ctx.input(1).scalar<int64_t>());
  return OkStatus();
}

}  // namespace

#define MR_ACCUMULATOR                                                 \
  {                                                                    \
    {                                                                  \
      .types = "dtype: half, float, double",                           \
      .make = MakeKernel<HandleKernel<Accumulator>>, .host = "handle", \
      .cheap = true                                                    \
    }                                                                  \
  }

MR_KERNELS(ConditionalAccumulator, Cpu) MR_ACCUMULATOR;
MR_KERNELS(SparseConditionalAccumulator, Cpu) MR_ACCUMULATOR;
MR_KERNELS(ResourceConditionalAccumulator, Cpu) MR_ACCUMULATOR;
MR_KERNELS(AccumulatorApplyGradient, Cpu){
    {.make = MakeFunctionKernel<RunApply>, .host = "handle, local_step"}};
MR_KERNELS(ResourceAccumulatorApplyGradient, Cpu){
    {.make = MakeFunctionKernel<RunApply>, .host = "handle, local_step"}};
MR_KERNELS(SparseAccumulatorApplyGradient, Cpu){
    {.make = MakeKernel<ApplySparseKernel>, .host = "handle, local_step"}};
MR_KERNELS(AccumulatorTakeGradient, Cpu){
    {.make = MakeKernel<TakeKernel<false>>, .host = "handle, num_required"}};
MR_KERNELS(ResourceAccumulatorTakeGradient, Cpu){
    {.make = MakeKernel<TakeKernel<false>>, .host = "handle, num_required"}};
MR_KERNELS(SparseAccumulatorTakeGradient, Cpu){
    {.make = MakeKernel<TakeKernel<true>>, .host = "handle, num_required"}};
MR_KERNELS(AccumulatorNumAccumulated,
           Cpu){{.make = MakeFunctionKernel<RunNumAccumulated>,
                 .host = "handle, num_accumulated",
                 .cheap = true}};
MR_KERNELS(ResourceAccumulatorNumAccumulated,
           Cpu){{.make = MakeFunctionKernel<RunNumAccumulated>,
                 .host = "handle, num_accumulated",
                 .cheap = true}};
MR_KERNELS(AccumulatorSetGlobalStep,
           Cpu){{.make = MakeFunctionKernel<RunSetGlobalStep>,
                 .host = "handle, new_global_step",
                 .cheap = true}};
MR_KERNELS(ResourceAccumulatorSetGlobalStep,
           Cpu){{.make = MakeFunctionKernel<RunSetGlobalStep>,
                 .host = "handle, new_global_step",
                 .cheap = true}};

}  // namespace millrace::ops
