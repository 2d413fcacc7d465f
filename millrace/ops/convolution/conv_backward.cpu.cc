// What the backward passes of convolutions say of sizes that do not fit each
// other.
#include <string>
#include <utility>
#include <vector>

#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {
namespace {

// Returns the name that stock's messages have for a pass.
const char* LabelOf(ConvKind kind, ConvPass pass) {
  const bool of_input = pass == ConvPass::kInput;
  switch (kind) {
    case ConvKind::kDepthwise:
      return of_input ? "DepthwiseConv2DBackpropInput"
                      : "DepthwiseConv2DBackpropFilter";
    case ConvKind::k3D:
      return of_input ? "Conv3DBackpropInputOp" : "Conv3DBackpropFilterOp";
    case ConvKind::k2D:
      break;
  }
  return of_input ? "Conv2DCustomBackpropInput" : "Conv2DCustomBackpropFilter";
}

Status CheckVolumes(const ImageLayout& layout, const TensorShape& input,
                    const TensorShape& filter, const TensorShape& output) {
  const auto depths = [](const char* what, int64_t of_tensor,
                         int64_t of_filter) -> Status {
    if (of_tensor == of_filter) return OkStatus();
    return InvalidArgument(
        what, " and filter_sizes must have the same number of channels. Got ",
        of_tensor, " for ", what, " and ", of_filter, " for filter_sizes");
  };
  MR_RETURN_IF_ERROR(
      depths("input", input.dim(layout.channel_dim()), filter.dim(3)));
  return depths("out_backprop", output.dim(layout.channel_dim()),
                filter.dim(4));
}

}  // namespace

StatusOr<TensorShape> ConvAttrs::SizesOf(const Tensor& t) const {
  const bool of_input = pass_ == ConvPass::kInput;
  const std::string name = of_input ? "input_sizes" : "filter_sizes";
  if (t.rank() != 1) {
    if (kind_ == ConvKind::k3D) {
      return of_input
                 ? InvalidArgument(
                       "shape must be a vector of {int32,int64}, got shape ",
                       t.shape().DebugString())
                 : InvalidArgument(
                       "filter_sizes shape must be rank 1 but is "
                       "rank ",
                       t.rank());
    }
    return InvalidArgument(of_input ? "Conv2DBackpropInput: "
                           : kind_ == ConvKind::kDepthwise
                               ? "Conv2DBackpropFilter: "
                               : "Conv2DCustomBackpropFilter: ",
                           name, " input must be 1-dim, not ", t.rank());
  }
  if (kind_ == ConvKind::kDepthwise) {
    const std::vector<int64_t> sizes = IntValues(t);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < 0) {
        return InvalidArgument("Dimension ", i, " of ", name,
                               " must be >= 0, but is ", sizes[i]);
      }
    }
  }
  return ShapeFromTensor(t);
}

Status ConvAttrs::CheckBackward(const TensorShape& input,
                                const TensorShape& filter,
                                const TensorShape& out_backprop) const {
  const ImageLayout& layout = sliding_.layout;
  const int rank = layout.rank();
  const char* const label = LabelOf(kind_, pass_);
  const bool volumes = kind_ == ConvKind::k3D;
  const std::pair<const char*, const TensorShape*> named[] = {
      {"input", &input},
      {volumes ? "filter_sizes" : "filter", &filter},
      {"out_backprop", &out_backprop}};
  for (const auto& [name, shape] : named) {
    if (shape->rank() == rank) continue;
    return volumes
               ? InvalidArgument(name,
                                 " tensor must have 5 dimensions, "
                                 "but has shape ",
                                 shape->DebugString())
               : InvalidArgument(label, ": ", name, " must be 4-dimensional");
  }
  if (volumes) {
    MR_RETURN_IF_ERROR(CheckVolumes(layout, input, filter, out_backprop));
  }
  if (input.dim(0) != out_backprop.dim(0)) {
    return InvalidArgument(
        label,
        ": input and out_backprop must have the same batch size. Input batch: ",
        input.dim(0), ", outbackprop batch: ", out_backprop.dim(0),
        ", batch_dim: 0");
  }
  if (volumes) return OkStatus();
  const int64_t in_depth = input.dim(layout.channel_dim());
  const int64_t out_depth = out_backprop.dim(layout.channel_dim());
  if (kind_ == ConvKind::kDepthwise) {
    if (filter.dim(2) != in_depth) {
      return InvalidArgument(label,
                             ": input and filter must have the same in_depth");
    }
    if (filter.dim(3) * in_depth != out_depth) {
      return InvalidArgument(
          label, ": depth_multiplier * in_depth not equal to out_depth");
    }
    return OkStatus();
  }
  if (filter.dim(2) == 0) {
    return InvalidArgument(label,
                           ": filter depth must be strictly greated than zero");
  }
  if (in_depth % filter.dim(2) != 0) {
    return InvalidArgument(
        label, ": input depth must be evenly divisible by filter depth");
  }
  if (filter.dim(3) != out_depth) {
    return InvalidArgument(
        label, ": filter and out_backprop must have the same out_depth");
  }
  return OkStatus();
}

}  // namespace millrace::ops
