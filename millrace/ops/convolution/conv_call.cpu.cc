#include "millrace/ops/convolution/conv_call.h"

namespace millrace::ops {
namespace {

StatusOr<TensorShape> ShapeGivenBy(const ConvAttrs& attrs, const Tensor& t,
                                   SizesFrom sizes) {
  if (sizes == SizesFrom::kTensor) return t.shape();
  return attrs.SizesOf(t);
}

// Returns the shape of the input. Stock takes [height, width] for the images of
// out_backprop, too.
StatusOr<TensorShape> ShapeOfInput(KernelContext& ctx, const ConvAttrs& attrs,
                                   ConvKind kind, SizesFrom from) {
  if (kind != ConvKind::k2D) return ShapeGivenBy(attrs, ctx.input(0), from);
  if (ctx.input(2).rank() != 4) {
    return InvalidArgument("input_sizes must be 4-dimensional, got: ",
                           ctx.input(2).rank(), " (of out_backprop)");
  }
  MR_ASSIGN_OR_RETURN(TensorShape sizes,
                      ShapeGivenBy(attrs, ctx.input(0), from));
  if (sizes.rank() == 4) return sizes;
  if (sizes.rank() != 2) {
    return InvalidArgument(
        "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 "
        "values, but got: ",
        sizes.rank());
  }
  if (ctx.input(1).rank() != 4) {
    return InvalidArgument(
        "Conv2DCustomBackpropInput: filter must be 4-dimensional");
  }
  return attrs.FromSpatial(sizes, ctx.input(2).dim(0), ctx.input(1).dim(2));
}

}  // namespace

StatusOr<ConvCall> ConvCall::Of(KernelContext& ctx, const ConvAttrs& attrs,
                                ConvKind kind, ConvPass pass, SizesFrom sizes) {
  TensorShape input = ctx.input(0).shape(), filter = ctx.input(1).shape();
  if (pass == ConvPass::kInput) {
    MR_ASSIGN_OR_RETURN(input, ShapeOfInput(ctx, attrs, kind, sizes));
  } else if (pass == ConvPass::kFilter) {
    MR_ASSIGN_OR_RETURN(filter, ShapeGivenBy(attrs, ctx.input(1), sizes));
  }
  if (pass != ConvPass::kForward) {
    MR_RETURN_IF_ERROR(
        attrs.CheckBackward(input, filter, ctx.input(2).shape()));
  }
  if (kind == ConvKind::k3D && pass == ConvPass::kForward &&
      filter.num_elements() == 0) {
    return InvalidArgument(
        "filter must not have zero elements (i.e. all dimensions must be "
        "non-zero)");
  }
  ConvCall call;
  MR_ASSIGN_OR_RETURN(call.problem,
                      attrs.Resolve(ctx.output_type(0), input, filter));
  const TensorShape output = attrs.OutputShape(call.problem);
  if (pass != ConvPass::kForward && ctx.input(2).shape() != output) {
    return InvalidArgument(
        "Size of out_backprop doesn't match computed: actual = ",
        ctx.input(2).shape().DebugString(),
        ", computed = ", output.DebugString());
  }
  call.shape = pass == ConvPass::kInput    ? input
               : pass == ConvPass::kFilter ? filter
                                           : output;
  return call;
}

}  // namespace millrace::ops
