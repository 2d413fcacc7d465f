#include "millrace/ops/pooling/avg_pool_call.h"

namespace millrace::ops {
namespace {

// Returns INVALID_ARGUMENT unless input 0 is the shape of what was pooled, and
// input 1 has its rank.
Status CheckGradInputs(const KernelContext& ctx, int rank) {
  const Tensor& sizes = ctx.input(0);
  if (sizes.rank() != 1 || sizes.num_elements() != rank) {
    return InvalidArgument(
        rank == 5 ? "tensor_in must be 1-dimensional and 5 elements"
                  : "out_backprop must be 1-dimensional and 4 elements",
        ", but orig_input_shape has shape ", sizes.shape().DebugString());
  }
  for (const int64_t n : IntValues(sizes)) {
    if (n < 0) {
      return InvalidArgument("Expected a non-negative size, got ", n);
    }
  }
  return ExpectRank("out_backprop", ctx.input(1), rank);
}

// Returns INVALID_ARGUMENT unless the gradient of pooled volumes has their
// batch and channels.
Status CheckVolumeEnds(const TensorShape& input, const TensorShape& grad,
                       int channel_dim) {
  for (const int d : {0, channel_dim}) {
    if (input.dim(d) != grad.dim(d)) {
      return InvalidArgument("Expected ", d == 0 ? "first" : "last",
                             " dimension of tensor_in_shape and out_backprop "
                             "to match, got ",
                             input.dim(d), " and ", grad.dim(d));
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<AvgPoolGradCall> AvgPoolGradCall::Of(KernelContext& ctx,
                                              const PoolAttrs& attrs,
                                              int rank) {
  MR_RETURN_IF_ERROR(CheckGradInputs(ctx, rank));
  AvgPoolGradCall call;
  MR_ASSIGN_OR_RETURN(call.input, ShapeFromTensor(ctx.input(0)));
  const Tensor& grad = ctx.input(1);
  MR_ASSIGN_OR_RETURN(call.problem,
                      attrs.Resolve(call.input, PoolOver::kSpace));
  if (rank == 5) {
    MR_RETURN_IF_ERROR(
        CheckVolumeEnds(call.input, grad.shape(), attrs.channel_dim()));
  }
  MR_RETURN_IF_ERROR(
      ExpectShape("grad", grad, attrs.OutputShape(call.problem, call.input)));
  return call;
}

}  // namespace millrace::ops
