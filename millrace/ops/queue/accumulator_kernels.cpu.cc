#include "millrace/kernel/component_types.h"
#include "millrace/kernel/handle_kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/queue/accumulator.h"

namespace millrace::ops {
namespace {

Status CheckScalarArgument(const Tensor& t, absl::string_view name) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument("Argument ", name,
                         " must be scalar, but had bad shape ",
                         t.shape().DebugString());
}

// Says whether the gradient is put into the accumulator or taken from it.
enum class GradientSide { kInput, kOutput };

// Checks the dtype of a gradient that is input or output number `port`.
Status CheckDtype(const KernelContext& ctx, const Accumulator& a,
                  GradientKind kind, GradientSide side, size_t port) {
  const NodeInfo& node = ctx.node();
  std::vector<DataType> inputs(node.input_types.begin(),
                               node.input_types.end());
  std::vector<DataType> outputs(node.output_types.begin(),
                                node.output_types.end());
  DataType& dtype =
      side == GradientSide::kOutput ? outputs[port] : inputs[port];
  if (dtype != a.options().dtype) {
    dtype = a.options().dtype;
    return SignatureMismatch(node, inputs, outputs);
  }
  if (a.options().kind != kind) {
    return InvalidArgument("the accumulator is ", kind == GradientKind::kSparse
                                                      ? "dense, the op sparse"
                                                      : "sparse, the op dense");
  }
  return OkStatus();
}

Status RunApply(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Accumulator> a,
                      LookupInput<Accumulator>(ctx, 0));
  MR_RETURN_IF_ERROR(CheckScalarArgument(ctx.input(1), "local_step"));
  MR_RETURN_IF_ERROR(
      CheckDtype(ctx, *a, GradientKind::kDense, GradientSide::kInput, 2));
  const int64_t local_step = ctx.input(1).scalar<int64_t>();
  return a->ApplyDense(ctx, local_step, ctx.TakeInput(2));
}

class ApplySparseKernel {
 public:
  static StatusOr<ApplySparseKernel> Make(const KernelInit& init) {
    ApplySparseKernel k;
    MR_ASSIGN_OR_RETURN(k.has_shape_, init.Attr<bool>("has_known_shape"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<Accumulator> a,
                        LookupInput<Accumulator>(ctx, 0));
    MR_RETURN_IF_ERROR(CheckScalarArgument(ctx.input(1), "local_step"));
    MR_RETURN_IF_ERROR(
        CheckDtype(ctx, *a, GradientKind::kSparse, GradientSide::kInput, 3));
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

// Sets indices, values and the shape as far as it is known.
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

template <GradientKind kKind>
class TakeKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Accumulator>> a = LookupInput<Accumulator>(ctx, 0);
    if (!a.ok()) return std::move(done)(a.status());
    const StatusOr<int32_t> n = NumRequired(ctx);
    if (!n.ok()) return std::move(done)(n.status());
    constexpr bool kSparse = kKind == GradientKind::kSparse;
    Status status =
        CheckDtype(ctx, **a, kKind, GradientSide::kOutput, kSparse ? 1 : 0);
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
  MR_ASSIGN_OR_RETURN(const Ref<Accumulator> a,
                      LookupInput<Accumulator>(ctx, 0));
  ctx.set_output(
      0, Tensor::Scalar<int32_t>(static_cast<int32_t>(a->num_accumulated())));
  return OkStatus();
}

Status RunSetGlobalStep(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Accumulator> a,
                      LookupInput<Accumulator>(ctx, 0));
  MR_RETURN_IF_ERROR(CheckScalarArgument(ctx.input(1), "new_global_step"));
  a->SetGlobalStep(ctx.input(1).scalar<int64_t>());
  return OkStatus();
}

template <GradientKind kKind>
constexpr KernelEntry kAccumulatorEntry = {
    .types = "dtype: half, float, double",
    .make = MakeKernel<HandleKernel<Accumulator, kKind>>,
    .host = "handle",
    .cheap = true};
constexpr KernelEntry kApply = {.make = MakeFunctionKernel<RunApply>,
                                .host = "handle, local_step"};
template <GradientKind kKind>
constexpr KernelEntry kTake = {.make = MakeKernel<TakeKernel<kKind>>,
                               .host = "handle, num_required"};
constexpr KernelEntry kCount = {.make = MakeFunctionKernel<RunNumAccumulated>,
                                .host = "handle, num_accumulated",
                                .cheap = true};
constexpr KernelEntry kSetStep = {.make = MakeFunctionKernel<RunSetGlobalStep>,
                                  .host = "handle, new_global_step",
                                  .cheap = true};

}  // namespace

MR_KERNELS(ConditionalAccumulator,
           Cpu){kAccumulatorEntry<GradientKind::kDense>};
MR_KERNELS(ResourceConditionalAccumulator,
           Cpu){kAccumulatorEntry<GradientKind::kDense>};
MR_KERNELS(SparseConditionalAccumulator,
           Cpu){kAccumulatorEntry<GradientKind::kSparse>};
MR_KERNELS(AccumulatorApplyGradient, Cpu){kApply};
MR_KERNELS(ResourceAccumulatorApplyGradient, Cpu){kApply};
MR_KERNELS(SparseAccumulatorApplyGradient, Cpu){
    {.make = MakeKernel<ApplySparseKernel>, .host = "handle, local_step"}};
MR_KERNELS(AccumulatorTakeGradient, Cpu){kTake<GradientKind::kDense>};
MR_KERNELS(ResourceAccumulatorTakeGradient, Cpu){kTake<GradientKind::kDense>};
MR_KERNELS(SparseAccumulatorTakeGradient, Cpu){kTake<GradientKind::kSparse>};
MR_KERNELS(AccumulatorNumAccumulated, Cpu){kCount};
MR_KERNELS(ResourceAccumulatorNumAccumulated, Cpu){kCount};
MR_KERNELS(AccumulatorSetGlobalStep, Cpu){kSetStep};
MR_KERNELS(ResourceAccumulatorSetGlobalStep, Cpu){kSetStep};

}  // namespace millrace::ops
