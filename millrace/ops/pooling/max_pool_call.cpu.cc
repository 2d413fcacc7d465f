#include "millrace/ops/pooling/max_pool_call.h"

namespace millrace::ops {

StatusOr<MaxPoolCall> MaxPoolCall::Of(const PoolAttrs& attrs,
                                      const TensorShape& x, PoolOver over) {
  MR_ASSIGN_OR_RETURN(const PoolProblem p, attrs.Resolve(x, over));
  return MaxPoolCall{p, attrs.OutputShape(p, x)};
}

StatusOr<MaxPoolCall> MaxPoolCall::OfArgmax(const KernelContext& ctx,
                                            const PoolAttrs& attrs) {
  const Tensor& x = ctx.input(0);
  MR_ASSIGN_OR_RETURN(MaxPoolCall call, Of(attrs, x.shape(), PoolOver::kSpace));
  if (x.num_elements() == 0) {
    return InvalidArgument("tensor_in must not be empty (2)");
  }
  return call;
}

StatusOr<MaxPoolCall> MaxPoolCall::OfGrad(const KernelContext& ctx,
                                          const PoolAttrs& attrs) {
  const TensorShape& x = ctx.input(0).shape();
  MR_ASSIGN_OR_RETURN(MaxPoolCall call,
                      Of(attrs, x, PoolOver::kSpaceOrChannels));
  MR_RETURN_IF_ERROR(ExpectRank("tensor_out", ctx.input(1), x.rank()));
  MR_RETURN_IF_ERROR(ExpectRank("out_backprop", ctx.input(2), x.rank()));
  MR_RETURN_IF_ERROR(ExpectShape("orig_output", ctx.input(1), call.output));
  MR_RETURN_IF_ERROR(ExpectShape("grad", ctx.input(2), call.output));
  return call;
}

StatusOr<MaxPoolCall> MaxPoolCall::OfGradGrad(const KernelContext& ctx,
                                              const PoolAttrs& attrs) {
  const TensorShape& x = ctx.input(0).shape();
  MR_ASSIGN_OR_RETURN(MaxPoolCall call, Of(attrs, x, PoolOver::kSpace));
  MR_RETURN_IF_ERROR(ExpectRank("tensor_out", ctx.input(1), x.rank()));
  MR_RETURN_IF_ERROR(ExpectRank("out_grad_backprop", ctx.input(2), x.rank()));
  MR_RETURN_IF_ERROR(ExpectShape("orig_output", ctx.input(1), call.output));
  MR_RETURN_IF_ERROR(ExpectShape("grad", ctx.input(2), x));
  return call;
}

StatusOr<MaxPoolCall> MaxPoolCall::OfGradByArgmax(const KernelContext& ctx,
                                                  const PoolAttrs& attrs,
                                                  ByArgmax way) {
  const TensorShape& x = ctx.input(0).shape();
  MR_ASSIGN_OR_RETURN(MaxPoolCall call, Of(attrs, x, PoolOver::kSpace));
  MR_RETURN_IF_ERROR(ExpectShape("grad", ctx.input(1),
                                 way == ByArgmax::kScatter ? call.output : x));
  MR_RETURN_IF_ERROR(ExpectShape("argmax", ctx.input(2), call.output));
  return call;
}

}  // namespace millrace::ops
